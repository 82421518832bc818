import { createHash } from "node:crypto";
import { partsOf } from "../streams.ts";
import { lineEnds } from "./lines.ts";
import { unescaped } from "./print.ts";
import { complain, contents, input, optionsOf, type Program, print } from "./program.ts";

export const tr: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  const [from = "", to = ""] = rest;
  let members = charactersOf(from);
  if (given.has("c") || given.has("C")) {
    const left = new Set(members);
    members = Array.from({ length: 256 }, (_, code) => code).filter((code) => !left.has(code));
  }
  const target = charactersOf(to);
  const isDeleting = given.has("d");
  /** What each byte becomes; -1: it is left out. */
  const table = Array.from({ length: 256 }, (_, code) => code);
  for (const [place, code] of members.entries())
    if (isDeleting) table[code] = -1;
    else if (target.length > 0) table[code] = target[Math.min(place, target.length - 1)] ?? code;
  const squeezed = new Set(given.has("s") ? (rest.length > 1 ? target : members) : []);
  let last = -1;
  for await (const part of partsOf(started.stdin)) {
    const out = Buffer.allocUnsafe(part.length);
    let length = 0;
    for (const byte of part) {
      const now = table[byte] ?? byte;
      if (now < 0 || (now === last && squeezed.has(now))) continue;
      out[length++] = now;
      last = now;
    }
    await started.stdout.write(out.subarray(0, length));
  }
  return 0;
};

const RANGES: Readonly<Record<string, string>> = {
  upper: "A-Z",
  lower: "a-z",
  digit: "0-9",
  space: " \t\n\r\v\f",
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
};

function charactersOf(set: string): number[] {
  const plain = unescaped(set.replace(/\[:(\w+):\]/g, (_, name: string) => RANGES[name] ?? ""));
  const codes: number[] = [];
  for (let at = 0; at < plain.length; at++) {
    const code = plain.charCodeAt(at);
    const end = plain[at + 1] === "-" && at + 2 < plain.length ? plain.charCodeAt(at + 2) : code;
    for (let one = code; one <= end; one++) codes.push(one);
    if (end !== code) at += 2;
  }
  return codes;
}

export const od: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["A", "t", "N", "j", "w"]);
  const { found, failed } = await contents(started, "od", rest);
  const [skip, most] = [Number(given.get("j") ?? 0), Number(given.get("N") ?? Number.POSITIVE_INFINITY)];
  const bytes = Buffer.concat(found.map(([, content]) => content)).subarray(skip);
  const shown = bytes.subarray(0, Math.min(most, bytes.length));
  const radix = { d: 10, x: 16, o: 8 }[given.get("A") ?? "o"];
  const address = (at: number) => (radix === undefined ? "" : (at + skip).toString(radix).padStart(7, "0"));
  const one = (byte: number) =>
    given.get("t")?.startsWith("x")
      ? byte.toString(16).padStart(2, "0")
      : given.get("t")?.startsWith("u")
        ? String(byte).padStart(3)
        : byte.toString(8).padStart(3, "0");
  let text = "";
  for (let at = 0; at < shown.length; at += 16)
    text += `${address(at)}${[...shown.subarray(at, at + 16)].map((byte) => ` ${one(byte)}`).join("")}\n`;
  await print(started, radix === undefined ? text : `${text}${address(shown.length)}\n`);
  return failed ? 1 : 0;
};

export const cmp: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["n"]);
  const { found, failed } = await contents(started, "cmp", rest.length === 1 ? [...rest, "-"] : rest.slice(0, 2));
  const [one, other] = found;
  if (failed || !one || !other) return 2;
  const most = Number(given.get("n") ?? Number.POSITIVE_INFINITY);
  const [a, b] = [one[1].subarray(0, Math.min(most, one[1].length)), other[1].subarray(0, Math.min(most, other[1].length))];
  if (a.equals(b)) return 0;
  const at = a.findIndex((byte, index) => byte !== b[index]);
  const isShort = at < 0 || at >= b.length;
  const name = a.length < b.length ? one[0] : other[0];
  if (given.has("s")) return 1;
  if (isShort) return complain(started, `cmp: EOF on ${name} after byte ${Math.min(a.length, b.length)}`);
  await print(started, `${one[0]} ${other[0]} differ: byte ${at + 1}, line ${lineEnds(a.subarray(0, at)) + 1}\n`);
  return 1;
};

/** The sums of files or of the standard input. */
function sum(algorithm: string): Program {
  return async (started) => {
    const { rest } = optionsOf(started.args);
    for (const path of rest.length > 0 ? rest : ["-"]) {
      const file = await input(started, path);
      const hash = createHash(algorithm);
      for await (const part of partsOf(file)) hash.update(part);
      file.release();
      await print(started, `${hash.digest("hex")}  ${path}\n`);
    }
    return 0;
  };
}

export const sha256sum = sum("sha256");
export const sha512sum = sum("sha512");
export const md5sum = sum("md5");
