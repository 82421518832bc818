import { decodeUtf8 } from "@talosmith/lib/yaml/source.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { readBytes } from "./files.ts";
import type { Reading } from "./reading.ts";
import { expandPath } from "./references.ts";
import { holdsPrivateKey } from "./secrets.ts";
import type { Draft } from "./shape.ts";

/** The private key for `network.ssh`, as text. */
export function networkKey({ network }: Draft, reading: Reading): string | undefined {
  return network?.via === "ssh" ? sshKeyAt(network.ssh?.key, ["network", "ssh", "key"], reading) : undefined;
}

/** Reads a private key for a login; undefined when none is set. An unusable one is reported. */
export function sshKeyAt(written: string | undefined, at: Path, reading: Reading): string | undefined {
  return written === undefined ? undefined : privateKeyAt(written, at, { ...reading, hint: HINT });
}

const HINT =
  "name a private key such as ~/.ssh/id_ed25519 (not the .pub file), or remove key to use the SSH agent and the usual files";

/** Reads a private key from the value or from the file it names. An unusable one is reported. */
export function privateKeyAt(
  written: string,
  at: Path,
  { world, folder, report, hint }: Reading & { hint: string },
): string | undefined {
  if (holdsPrivateKey(written)) return withLineEnd(written);
  const path = expandPath(written, world, folder);
  const bytes = path === undefined ? "has a ~ in its path, but HOME is not set" : readBytes(world.files, path);
  const text = typeof bytes === "string" ? undefined : decodeUtf8(bytes);
  if (text !== undefined && "text" in text && holdsPrivateKey(text.text)) return withLineEnd(text.text);
  const wrong = typeof bytes === "string" ? bytes : "contains no private key";
  report.problem(at, { message: `${pathName(at)} names a file that ${wrong}`, hint }, "CONFIG_VALUE");
  return undefined;
}

/** OpenSSH's own reader wants the last line ended; references cut that off. */
function withLineEnd(key: string): string {
  return key.endsWith("\n") ? key : `${key}\n`;
}
