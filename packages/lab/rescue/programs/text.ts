import { FileProblem, type OpenFile, partsOf } from "../shell/streams.ts";
import { openFile } from "../system/files.ts";
import { complain, contents, input, optionsOf, type Program, print, type Started } from "./program.ts";

export const cat: Program = async (started) => {
  const { rest } = optionsOf(started.args);
  let code = 0;
  for (const path of rest.length > 0 ? rest : ["-"]) {
    try {
      const file = await input(started, path);
      for await (const part of partsOf(file)) await started.stdout.write(part);
      file.release();
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      code = await complain(started, `cat: ${path}: ${error.message}`);
    }
  }
  return code;
};

export const echo: Program = async (started) => {
  const [first, ...others] = started.args;
  const isFlag = first !== undefined && /^-[ne]+$/.test(first);
  const text = (isFlag ? others : started.args).join(" ");
  const shown = isFlag && first.includes("e") ? unescaped(text) : text;
  return print(started, isFlag && first.includes("n") ? shown : `${shown}\n`);
};

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", a: "\x07", b: "\b", f: "\f", v: "\v" };

function unescaped(text: string): string {
  return text.replace(/\\(0?[0-7]{1,3}|x[0-9a-f]{1,2}|.)/gi, (whole, code: string) => {
    if (/^[0-7]+$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    if (/^x[0-9a-f]+$/i.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return ESCAPES[code] ?? whole;
  });
}

export const printf: Program = async (started) => {
  const [format = "", ...values] = started.args[0] === "--" ? started.args.slice(1) : started.args;
  let text = "";
  do {
    text += format.replace(
      /%([-0]*)(\d*)([sdiuxXocb%])|\\(0?[0-7]{1,3}|x[0-9a-f]{1,2}|.)/gi,
      (found, flags: string, width: string, kind: string | undefined) => {
        if (kind === undefined) return unescaped(found);
        if (kind === "%") return "%";
        const shown = formatted(kind, values.shift() ?? "");
        if (flags?.includes("-")) return shown.padEnd(Number(width));
        return shown.padStart(Number(width), flags?.includes("0") ? "0" : " ");
      },
    );
  } while (values.length > 0 && /%[-0\d]*[sdiuxXocb]/.test(format));
  // Bytes, not characters: \377 is one.
  return print(started, [...text].every((char) => char.charCodeAt(0) < 256) ? Buffer.from(text, "latin1") : text);
};

function formatted(kind: string, value: string): string {
  if (kind === "s") return value;
  if (kind === "b") return unescaped(value);
  if (kind === "c") return value.slice(0, 1);
  const number = Number(value || 0);
  return kind === "x"
    ? number.toString(16)
    : kind === "X"
      ? number.toString(16).toUpperCase()
      : kind === "o"
        ? number.toString(8)
        : String(number);
}

export const tee: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  const files: OpenFile[] = [];
  let code = 0;
  for (const path of rest) {
    try {
      files.push(await openFile(started.host, path, given.has("a") ? "append" : "write"));
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      code = await complain(started, `tee: ${path}: ${error.message}`);
    }
  }
  try {
    for await (const part of partsOf(started.stdin))
      await Promise.all([started.stdout, ...files].map((file) => file.write(part)));
  } finally {
    for (const file of files) file.release();
  }
  return code;
};

export const head: Program = async (started) => {
  const { amount, bytes, rest } = amounts(started.args);
  for (const path of rest.length > 0 ? rest : ["-"]) {
    const file = await input(started, path).catch(() => undefined);
    if (!file) return complain(started, `head: cannot open '${path}' for reading: No such file or directory`);
    let left = amount;
    for await (const part of partsOf(file)) {
      const end = bytes ? Math.min(left, part.length) : endOfLines(part, left);
      await started.stdout.write(part.subarray(0, end));
      left -= bytes ? end : lines(part.subarray(0, end));
      if (left > 0) continue;
      // What is left belongs to whoever reads next, as it does where a file can be set back.
      if (end < part.length) file.unread(part.subarray(end));
      break;
    }
    file.release();
  }
  return 0;
};

export const tail: Program = async (started) => {
  const { amount, bytes, fromStart, rest } = amounts(started.args);
  const { found, failed } = await contents(started, "tail", rest);
  for (const [, content] of found) {
    if (bytes)
      await print(started, fromStart ? content.subarray(amount - 1) : content.subarray(Math.max(0, content.length - amount)));
    else {
      const parts = content.toString("latin1").split(/(?<=\n)/);
      const kept = fromStart ? parts.slice(amount - 1) : parts.slice(-amount);
      await print(started, Buffer.from(kept.join(""), "latin1"));
    }
  }
  return failed ? 1 : 0;
};

function amounts(args: readonly string[]): { amount: number; bytes: boolean; fromStart: boolean; rest: string[] } {
  const { given, rest } = optionsOf(
    args.map((arg) => arg.replace(/^-(\d+)$/, "-n$1")),
    ["n", "c", "lines", "bytes"],
  );
  const bytes = given.get("c") ?? given.get("bytes");
  const text = bytes ?? given.get("n") ?? given.get("lines") ?? "10";
  const [, sign = "", number = "0", unit = ""] = /^([+-]?)(\d+)([kKMG]?)/.exec(text) ?? [];
  const factor = { "": 1, k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[unit] ?? 1;
  return { amount: Number(number) * factor, bytes: bytes !== undefined, fromStart: sign === "+", rest };
}

function lines(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}

function endOfLines(bytes: Buffer, count: number): number {
  let left = count;
  for (const [index, byte] of bytes.entries()) if (byte === 10 && --left === 0) return index + 1;
  return bytes.length;
}

export const wc: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  const { found, failed } = await contents(started, "wc", rest);
  for (const [path, content] of found) {
    const words = content
      .toString("utf8")
      .split(/\s+/)
      .filter((word) => word !== "").length;
    const all = { l: lines(content), w: words, c: content.length };
    const wanted = (["l", "w", "c"] as const).filter((kind) => given.size === 0 || given.has(kind));
    const counts = wanted.map((kind) => (wanted.length > 1 ? String(all[kind]).padStart(7) : String(all[kind])));
    await print(started, `${counts.join(" ")}${path === "-" ? "" : ` ${path}`}\n`);
  }
  return failed ? 1 : 0;
};

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
  /** What each byte becomes; -1 is left out. */
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

export const cut: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["d", "f", "c", "b"]);
  const list = given.get("f") ?? given.get("c") ?? given.get("b") ?? "1-";
  const ranges = list.split(",").map((range) => {
    const [from = "", to] = range.split("-");
    return [Number(from || 1), to === undefined ? Number(from) : Number(to || Number.POSITIVE_INFINITY)] as const;
  });
  const wanted = (index: number) => ranges.some(([from, to]) => index + 1 >= from && index + 1 <= to);
  const delimiter = given.get("d") ?? "\t";
  const { found, failed } = await contents(started, "cut", rest);
  for (const [, content] of found) {
    for (const line of linesOf(content)) {
      const isField = given.has("f");
      if (isField && !line.includes(delimiter)) await print(started, `${line}\n`);
      else
        await print(
          started,
          `${(isField ? line.split(delimiter) : [...line]).filter((_, at) => wanted(at)).join(isField ? delimiter : "")}\n`,
        );
    }
  }
  return failed ? 1 : 0;
};

export function linesOf(content: Buffer): string[] {
  const text = content.toString("utf8");
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

export const grep: Program = async (started: Started) => {
  const { given, rest } = optionsOf(started.args, ["e", "m"]);
  const [pattern = "", ...paths] = given.has("e") ? [given.get("e") ?? "", ...rest] : rest;
  const has = (letter: string) => given.has(letter);
  const source = has("F") ? pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : has("E") ? pattern : basic(pattern);
  const classes = source.replaceAll("[[:space:]]", "\\s").replaceAll("[[:digit:]]", "\\d");
  const shape = new RegExp(has("x") ? `^(?:${classes})$` : has("w") ? `\\b(?:${classes})\\b` : classes, has("i") ? "i" : "");
  let failed = false;
  let hits = 0;
  for (const path of paths.length > 0 ? paths : ["-"]) {
    let content: Buffer;
    try {
      const file = await input(started, path);
      content = Buffer.concat(await collect(file));
      file.release();
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      failed = true;
      if (!has("s")) await complain(started, `grep: ${path}: ${error.message}`);
      continue;
    }
    const found = linesOf(content).filter((line) => shape.test(line) !== has("v"));
    hits += found.length;
    const before = has("H") || (paths.length > 1 && !has("h")) ? `${path}:` : "";
    if (has("q")) continue;
    if (has("c")) await print(started, `${before}${found.length}\n`);
    else if (has("l")) await print(started, found.length > 0 ? `${path}\n` : "");
    else for (const line of found) await print(started, `${before}${has("o") ? (shape.exec(line)?.[0] ?? "") : line}\n`);
  }
  if (failed && !(has("q") && hits > 0)) return 2;
  return hits > 0 ? 0 : 1;
};

async function collect(file: OpenFile): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for await (const part of partsOf(file)) parts.push(part);
  return parts;
}

/** In a basic expression what has a backslash is special, and the other way around. */
function basic(pattern: string): string {
  return pattern.replace(
    /\\([+?(){}|])|([+?(){}|])/g,
    (_, special: string | undefined, plain: string | undefined) => special ?? `\\${plain}`,
  );
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
  await print(started, `${one[0]} ${other[0]} differ: byte ${at + 1}, line ${lines(a.subarray(0, at)) + 1}\n`);
  return 1;
};

export const sort: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["k", "t"]);
  const { found, failed } = await contents(started, "sort", rest);
  const all = found.flatMap(([, content]) => linesOf(content));
  const order = (a: string, b: string) =>
    (given.has("n") ? Number.parseFloat(a) - Number.parseFloat(b) : 0) || (a < b ? -1 : Number(a > b));
  const sorted = all.sort((a, b) => (given.has("r") ? order(b, a) : order(a, b)));
  const shown = given.has("u") ? [...new Set(sorted)] : sorted;
  await print(started, shown.map((line) => `${line}\n`).join(""));
  return failed ? 2 : 0;
};
