import { FileProblem, type OpenFile, partsOf } from "../streams.ts";
import { lineEnds, linesOf } from "./lines.ts";
import { complain, contents, input, optionsOf, type Program, print } from "./program.ts";

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

export const tee: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  const files: OpenFile[] = [];
  let code = 0;
  for (const path of rest) {
    try {
      files.push(await started.open(path, given.has("a") ? "append" : "write"));
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
      left -= bytes ? end : lineEnds(part.subarray(0, end));
      if (left > 0) continue;
      // The rest is for the next reader, as where a file can be set back.
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
    const all = { l: lineEnds(content), w: words, c: content.length };
    const wanted = (["l", "w", "c"] as const).filter((kind) => given.size === 0 || given.has(kind));
    const counts = wanted.map((kind) => (wanted.length > 1 ? String(all[kind]).padStart(7) : String(all[kind])));
    await print(started, `${counts.join(" ")}${path === "-" ? "" : ` ${path}`}\n`);
  }
  return failed ? 1 : 0;
};

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
