import { type Program, print } from "./program.ts";

export const echo: Program = async (started) => {
  const [first, ...others] = started.args;
  const isFlag = first !== undefined && /^-[ne]+$/.test(first);
  const text = (isFlag ? others : started.args).join(" ");
  const shown = isFlag && first.includes("e") ? unescaped(text) : text;
  return print(started, isFlag && first.includes("n") ? shown : `${shown}\n`);
};

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", a: "\x07", b: "\b", f: "\f", v: "\v" };

export function unescaped(text: string): string {
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
