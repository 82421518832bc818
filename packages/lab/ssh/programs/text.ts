import { readBytes, readFile, whyNotWritten, writeFile } from "../files.ts";
import { done, type Ended, failed, look, type Program, printed, type Started } from "./program.ts";

interface Inputs {
  texts: [string, string][];
  problems: string;
}

/** The texts of the files that are named, or what came in; stops at the first that is not there. */
async function inputs(started: Started, program: string, paths: readonly string[]): Promise<Inputs> {
  const given = async () => (await started.stdin()).toString("utf8");
  if (paths.length === 0) return { texts: [["(standard input)", await given()]], problems: "" };
  const texts: [string, string][] = [];
  let problems = "";
  for (const path of paths) {
    const text = path === "-" ? await given() : look(started, (view) => readFile(view, path));
    if (text === undefined) problems += `${program}: ${path}: No such file or directory\n`;
    else texts.push([path, text]);
  }
  return { texts, problems };
}

export const cat: Program = async (started) => {
  const { texts, problems } = await inputs(started, "cat", started.args);
  return { code: problems === "" ? 0 : 1, stdout: texts.map(([, text]) => text).join(""), stderr: problems };
};

export const echo: Program = ({ args }) => {
  const [first, ...rest] = args;
  return printed(first === "-n" ? rest.join(" ") : `${args.join(" ")}\n`);
};

/** %s, %d and %%, and the usual escapes; the format is used again while there are arguments. */
export const printf: Program = ({ args }) => {
  const [format = "", ...values] = args;
  const escapes: Record<string, string> = { n: "\n", t: "\t", "\\": "\\", r: "\r" };
  let text = "";
  do {
    text += format.replace(/%([sdq%])|\\(.)/g, (_, kind: string | undefined, char: string | undefined) => {
      if (char !== undefined) return escapes[char] ?? `\\${char}`;
      return kind === "%" ? "%" : (values.shift() ?? "");
    });
  } while (values.length > 0 && /%[sdq]/.test(format));
  return printed(text);
};

export const tee: Program = async (started) => {
  const bytes = await started.stdin();
  const text = bytes.toString("utf8");
  const append = started.args.includes("-a");
  for (const path of started.args.filter((arg) => !arg.startsWith("-"))) {
    const problem = look(started, (view) => {
      const why = whyNotWritten(view, path);
      const before = (append ? readBytes(view, path) : undefined) ?? Buffer.alloc(0);
      if (why === undefined) writeFile(view, path, Buffer.concat([before, bytes]));
      return why;
    });
    if (problem !== undefined) return failed(1, `tee: ${path}: ${problem}\n`, text);
  }
  return printed(text);
};

/** Basic and extended expressions are close enough to JavaScript's for what is looked for on a host. */
export const grep: Program = async (started) => {
  const flags = started.args.filter((arg) => /^-[A-Za-z]+$/.test(arg)).join("");
  const [pattern = "", ...paths] = started.args.filter((arg) => !/^-[A-Za-z]+$/.test(arg) && arg !== "--");
  const escaped = flags.includes("F") ? pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : pattern.replaceAll("[[:space:]]", "\\s");
  const whole = flags.includes("x") ? `^(?:${escaped})$` : flags.includes("w") ? `\\b(?:${escaped})\\b` : escaped;
  const shape = new RegExp(whole, flags.includes("i") ? "i" : "");
  const { texts, problems } = await inputs(started, "grep", paths);
  const found = texts.flatMap(([path, text]) =>
    text
      .split("\n")
      .slice(0, text.endsWith("\n") ? -1 : undefined)
      .filter((line) => shape.test(line) !== flags.includes("v"))
      .map((line) => (paths.length > 1 && !flags.includes("h") ? `${path}:${line}\n` : `${line}\n`)),
  );
  const quiet = flags.includes("q");
  const stdout = quiet ? "" : flags.includes("c") ? `${found.length}\n` : found.join("");
  return {
    code: problems !== "" && !flags.includes("s") ? 2 : found.length > 0 ? 0 : 1,
    stdout,
    stderr: flags.includes("s") ? "" : problems,
  };
};

/** Fields between one character. */
export const cut: Program = async (started) => {
  const { args } = started;
  const given = (letter: string) => {
    const at = args.findIndex((arg) => arg.startsWith(`-${letter}`));
    return at < 0 ? undefined : (args[at] as string).length > 2 ? (args[at] as string).slice(2) : args[at + 1];
  };
  const between = given("d") ?? "\t";
  const wanted = (given("f") ?? "").split(",").map(Number);
  const { texts, problems } = await inputs(started, "cut", []);
  const lines = texts.flatMap(([, text]) => text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined));
  const cutLine = (line: string) => {
    const fields = line.split(between);
    return fields.length === 1 ? line : wanted.flatMap((field) => fields[field - 1] ?? []).join(between);
  };
  return { code: 0, stdout: lines.map((line) => `${cutLine(line)}\n`).join(""), stderr: problems };
};

export const head: Program = (started) => firstOrLast(started, "head");
export const tail: Program = (started) => firstOrLast(started, "tail");

async function firstOrLast(started: Started, program: "head" | "tail"): Promise<Ended> {
  const count = Number(/-n? ?(\d+)/.exec(started.args.join(" "))?.[1] ?? 10);
  const paths = started.args.filter((arg) => !/^-|^\d+$/.test(arg));
  const { texts, problems } = await inputs(started, program, paths);
  if (problems !== "") return failed(1, problems);
  const lines = texts.flatMap(([, text]) => text.split(/(?<=\n)/));
  return printed((program === "head" ? lines.slice(0, count) : lines.slice(-count)).join(""));
}

export const wc: Program = async (started) => {
  const paths = started.args.filter((arg) => !arg.startsWith("-"));
  const { texts, problems } = await inputs(started, "wc", paths);
  if (problems !== "") return failed(1, problems);
  const of = (text: string) => (started.args.includes("-c") ? Buffer.byteLength(text) : (text.match(/\n/g)?.length ?? 0));
  const count = texts.reduce((sum, [, text]) => sum + of(text), 0);
  return printed(`${count}${paths.length > 0 ? ` ${paths.join(" ")}` : ""}\n`);
};

export const succeed: Program = () => done;
export const fail: Program = () => failed(1, "");
