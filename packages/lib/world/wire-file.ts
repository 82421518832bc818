import { dirname, join } from "node:path";
import * as z from "zod";
import { parseCidr } from "../cidr.ts";
import { messageOf, type TalosmithError, userError } from "../errors.ts";
import { drawFrame } from "../yaml/frame.ts";
import { parseYaml, type YamlProblem } from "../yaml/parse.ts";
import { decodeUtf8, makeSource, position, type Source } from "../yaml/source.ts";
import { find, locate, type Path, pathName, plain, type Tree } from "../yaml/tree.ts";
import { type DialTarget, isLocal, precision, type Wire, type WireRule } from "./wire.ts";
import type { Files } from "./world.ts";

const shape = z.strictObject({
  connect: z.record(z.string(), z.string()),
  /** A path, relative to the wire file. */
  ca: z.string().exactOptional(),
  timeScale: z.number().positive().exactOptional(),
});

const EXAMPLE = 'connect:\n  "192.168.122.70:8006": "127.80.1.1:8006"\n  "10.10.0.0/24": "127.80.1.0/24"';
const FORMS = 'write "host:port", "host:*", "10.10.0.0/24" or "10.10.0.0/24:22"';

/** Reads a wire file; an error lists all its problems. */
export function readWire(files: Files, file: string): Wire {
  const bytes = bytesOf(files, file);
  if (bytes === undefined) {
    throw userError("WIRE_FILE", { message: `There is no wire file ${file}`, hint: `write one, such as\n${EXAMPLE}` });
  }
  const decoded = decodeUtf8(bytes);
  if (!("text" in decoded)) throw userError("WIRE_FILE", { message: `${file} is not UTF-8 text`, hint: "save it as UTF-8" });
  const source = makeSource(file, decoded.text);
  const { tree, problems } = parseYaml(source);
  if (problems.length > 0) throw invalid(source, problems);
  if (tree === undefined) throw userError("WIRE_FILE", { message: `${file} is empty`, hint: `write, for example\n${EXAMPLE}` });
  return wireOf(files, source, tree);
}

function authority(files: Files, file: string): string {
  const bytes = bytesOf(files, file);
  if (bytes !== undefined) return Buffer.from(bytes).toString("utf8");
  throw userError("WIRE_FILE", {
    message: `There is no file ${file}`,
    hint: "correct ca: in the wire file; the path is relative to that file",
  });
}

function bytesOf(files: Files, file: string): Uint8Array | undefined {
  try {
    return files.read(file);
  } catch (error) {
    const detail = messageOf(error);
    throw userError("WIRE_FILE", {
      message: `Unable to read the wire file ${file}`,
      detail,
      hint: "pass a file that you can read",
    });
  }
}

function wireOf(files: Files, source: Source, tree: Tree): Wire {
  const read = shape.safeParse(plain(tree));
  if (!read.success)
    throw invalid(
      source,
      read.error.issues.flatMap((issue) => shapeProblems(issue, tree)),
    );
  const rules: WireRule[] = [];
  const problems: YamlProblem[] = [];
  for (const [from, to] of Object.entries(read.data.connect)) {
    const rule = ruleOf(from, to);
    if ("on" in rule) problems.push({ at: locate(tree, ["connect", from], rule.on), message: rule.message, hint: rule.hint });
    else rules.push(rule);
  }
  if (problems.length > 0) throw invalid(source, problems);
  const { timeScale, ca } = read.data;
  return {
    file: source.file,
    rules,
    ...(timeScale !== undefined && { timeScale }),
    ...(ca !== undefined && { ca: authority(files, join(dirname(source.file), ca)) }),
  };
}

type Wrong = { on: "key" | "value"; message: string; hint: string };

function ruleOf(fromText: string, toText: string): WireRule | Wrong {
  const from = placeOf(fromText);
  if (from === undefined || from.lastPort !== undefined)
    return { on: "key", message: `connect: "${fromText}" is not an address`, hint: FORMS };
  const to = placeOf(toText);
  if (to === undefined) return { on: "value", message: `connect: "${toText}" is not an address`, hint: FORMS };
  // A network that starts with 127 has a prefix of at least 8.
  const local = typeof to.at === "string" ? isLocal(to.at) : to.at.text.startsWith("127.");
  if (!local) {
    return { on: "value", message: `connect: "${toText}" is not on this machine`, hint: "use an address in 127.0.0.0/8" };
  }
  if (to.lastPort === undefined ? precision(from) !== precision(to) : from.port === undefined || sizeOf(from) !== sizeOf(to)) {
    return {
      on: "value",
      message: `connect: "${fromText}" and "${toText}" are not of the same size`,
      hint: "map a host to a host, and a network to a network with the same prefix length, or one of its ports to as many ports",
    };
  }
  return { from, to };
}

/** The number of addresses of a network, or of the ports that stand for them. */
function sizeOf({ at, port = 0, lastPort }: DialTarget): number {
  return lastPort === undefined ? 2 ** (32 - (typeof at === "string" ? 32 : at.prefix)) : lastPort - port + 1;
}

const placeOf = (text: string): DialTarget | undefined => networkIn(text) ?? hostIn(text);

/** A network without a port, or with "*", means every port. */
function networkIn(text: string): DialTarget | undefined {
  const [, network = "", port = "*"] = /^([\d.]+\/\d+)(?::(\d+|\*))?$/.exec(text) ?? [];
  const cidr = parseCidr(network);
  return cidr?.text === network ? targetAt(cidr, port) : undefined;
}

/** A host must have a port, a range of ports or "*"; an IPv6 address is in brackets. */
function hostIn(text: string): DialTarget | undefined {
  const [, host, port = ""] = /^([^\s:/[\]]+|\[[\da-fA-F:]+\]):(\d+|\d+-\d+|\*)$/.exec(text) ?? [];
  return host === undefined ? undefined : targetAt(host.replace(/[[\]]/g, "").toLowerCase(), port);
}

function targetAt(at: DialTarget["at"], written: string): DialTarget | undefined {
  if (written === "*") return { at };
  const [port = 0, lastPort] = written.split("-").map(Number);
  if (port < 1 || (lastPort ?? port) < port || (lastPort ?? port) > 65_535) return undefined;
  return { at, port, ...(lastPort !== undefined && { lastPort }) };
}

function shapeProblems(issue: z.core.$ZodIssue, tree: Tree): YamlProblem[] {
  const path = issue.path as Path;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      at: locate(tree, [...path, key], "key"),
      message: `${key} is no known key`,
      hint: "remove it; the keys known here are connect, ca and timeScale",
    }));
  }
  const name = pathName(path) || "the file";
  const message = find(tree, path) === undefined ? `${name} is missing` : `${name} is not understood`;
  const hint = path[0] === "timeScale" ? "write a number above 0, such as timeScale: 20" : `write it like this:\n${EXAMPLE}`;
  return [{ at: locate(tree, path, "value"), message, hint }];
}

function invalid(source: Source, problems: readonly YamlProblem[]): TalosmithError {
  return userError("WIRE_INVALID", {
    message: `${source.file} has ${problems.length} problem${problems.length === 1 ? "" : "s"}`,
    hint: "correct the file and run the same command again: nothing was contacted or changed",
    problems: problems.map(({ at, message, hint, remark }) => {
      const frame = drawFrame(at, remark, (_source, _start, line) => line);
      return userError("WIRE_INVALID", { message, hint, where: { file: source.file, ...position(source, at.start), frame } });
    }),
  });
}
