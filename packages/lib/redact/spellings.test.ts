import { expect, test } from "vitest";
import { Redactor } from "../secret.ts";

function knowing(...values: string[]): Redactor {
  const redactor = new Redactor();
  for (const value of values) redactor.learn(value);
  return redactor;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Begins and ends with characters that are escaped. */
const QUOTED = `"it's" 50% of a\\b é+/"`;

test.each<[string, (text: string) => string]>([
  ["as it is", (text) => text],
  ["in JSON", (text) => JSON.stringify(text).slice(1, -1)],
  ["in JSON in JSON", (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  ["in a URL", encodeURIComponent],
  ["in a URL with small hex digits", (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase())],
  ["in a form", (text) => encodeURIComponent(text).replaceAll("%20", "+")],
  ["in a shell command in single quotes", (text) => text.replaceAll("'", "'\\''")],
  ["in YAML in single quotes", (text) => text.replaceAll("'", "''")],
  ["in hex", (text) => Buffer.from(text).toString("hex")],
  ["in hex with capitals", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  ["in base64", base64],
])("a secret is redacted %s, and nothing beside it", (_, spell) => {
  expect(knowing(QUOTED).text(`so: ${spell(QUOTED)}; ok`)).toBe("so: (secret); ok");
});

/** The base64 of a secret between other bytes, and how many letters at both ends also depend on those bytes: a letter is six bits. */
function inBase64(before: string, secret: string, after: string) {
  const bits = (text: string) => Buffer.byteLength(text) * 8;
  const first = Math.ceil(bits(before) / 6);
  const end = Math.floor(bits(before + secret) / 6);
  const text = base64(before + secret + after);
  return { text, left: text.slice(0, first), right: text.slice(end) };
}

const NEIGHBOURS = ["", ".", "..", "...", "....."];

test.each(["hunter22", "hunter222", "hunter2222"])(
  "in base64 of a longer text, all letters that depend on %s alone are redacted",
  (secret) => {
    for (const before of NEIGHBOURS)
      for (const after of NEIGHBOURS.slice(1)) {
        const { text, left, right } = inBase64(before, secret, after);
        expect(knowing(secret).text(text), `${before} ${after}`).toBe(`${left}(secret)${right}`);
      }
  },
);

test("base64url is redacted like base64", () => {
  const secret = "ÿ>ÿ?ÿ>";
  const { text, left, right } = inBase64("...", secret, "...");
  expect(text).toMatch(/\+.*\/|\/.*\+/);
  const url = (letters: string) => letters.replaceAll("+", "-").replaceAll("/", "_");
  expect(knowing(secret).text(url(text))).toBe(`${url(left)}(secret)${url(right)}`);
});

test("base64 in base64 is redacted at every alignment", () => {
  const secret = "hunter22-and-more";
  for (const before of NEIGHBOURS) {
    const redacted = knowing(secret).text(base64(`${before}${base64(secret)}.....`));
    expect(redacted, before).toMatch(/^.{0,9}\(secret\).{0,12}$/);
  }
});

const KEY = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=";
const KEY_BYTES = Buffer.from(KEY, "base64");

test.each([
  ["base64url", KEY_BYTES.toString("base64url")],
  ["hex", KEY_BYTES.toString("hex")],
  ["hex with capitals", KEY_BYTES.toString("hex").toUpperCase()],
])("a key that is stored in base64 is redacted in %s", (_, spelled) => {
  expect(knowing(KEY).text(`so: ${spelled}; ok`)).toBe("so: (secret); ok");
});

test("a passphrase is not taken for base64, although it could be decoded", () => {
  const decoded = Buffer.from("correct-horse-battery-staple", "base64").toString("hex");
  expect(knowing("correct-horse-battery-staple").text(decoded)).toBe(decoded);
  const short = Buffer.from("correcthorsebattery", "base64").toString("hex");
  expect(knowing("correcthorsebattery").text(short)).toBe(short);
});

test.each<[string, (text: string) => string]>([
  ["in a URL", encodeURIComponent],
  ["in hex", (text) => Buffer.from(text).toString("hex")],
  ["in base64", base64],
])("a key %s is redacted even if only its beginning is shown", (_, spell) => {
  const part = spell(KEY).slice(0, 40);
  expect(knowing(KEY).text(`so: ${part}… cut off`)).toBe("so: (secret)… cut off");
});

test("a file of several lines is redacted in JSON, on one line, with its comments", () => {
  const file = `# for 'me'\n${KEY}\n`;
  expect(knowing(file).text(JSON.stringify({ file }))).toBe('{"file":"(secret)"}');
});

test("a comment of a file with a key stays readable, also when the file is quoted elsewhere", () => {
  const recipient = "age1qrzlxuhkwm5nh4vvu2ptaq4yy3q8v6eyj0aw3m7gzzsxjwyv3ssqvz0m4c";
  const redactor = knowing(`# public key: ${recipient}\n${KEY}\n`);
  expect(redactor.text(`for ${recipient}: ${KEY}`)).toBe(`for ${recipient}: (secret)`);
});
