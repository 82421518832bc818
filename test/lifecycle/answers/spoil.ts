import { gzipSync } from "node:zlib";
import type { Chance } from "../../support/chance.ts";
import { spoiledMessage } from "./spoil-message.ts";
import type { Answer } from "./spoiled-lab.ts";

/* Responses of a server that is broken, old, new, or a different one. */

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** As JSON text; some of them are invalid. */
const VALUES: readonly string[] = [
  ...[
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "1e999",
    "-1e400",
    "9007199254740993",
    "NaN",
    '""',
    '"0"',
    '"-7"',
    '"1e999"',
    "[]",
    "{}",
    "[null]",
    "[[]]",
    "[{}]",
  ],
  ...[
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"length":-1}',
    '["a","b"]',
    "[1,2]",
    '{"a":{"b":null}}',
    deep(50),
    deep(20_000),
  ],
  ...[
    "../../x",
    "..",
    "/",
    "a/b?c=d#e",
    "%2e%2e%2f",
    "x\u0000y",
    "\u001b[2J\u001b]0;owned\u0007red",
    "\u202egnirts",
    "\ud800",
    "e\u0301",
    "日本語",
    "a\r\nb: c",
    " ",
    "\n",
    "__proto__",
  ].map((text) => JSON.stringify(text)),
  ...[
    JSON.stringify("x".repeat(100_000)),
    JSON.stringify("a,b=c,".repeat(500)),
    JSON.stringify("{{ .x }}"),
    JSON.stringify("v99.99.99"),
    JSON.stringify("1999-01-01T00:00:00Z"),
  ],
];

const HTML =
  "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1>\u001b[31mnginx</body></html>";

const WHOLE: readonly ((answer: Answer, chance: Chance) => void)[] = [
  (answer, chance) => {
    answer.body = answer.body.subarray(0, chance.below(answer.body.length));
  },
  (answer, chance) => {
    answer.body = Buffer.from(
      chance.of(["", "null", "[]", "{}", '"x"', "1", "\ufeff{}", "{", "\u0000", deep(100_000), "undefined"]),
    );
  },
  (answer) => {
    answer.body = Buffer.from(HTML);
    answer.headers = { "content-type": "text/html" };
  },
  (answer, chance) => {
    answer.status = chance.of([
      200, 201, 204, 301, 302, 304, 400, 401, 403, 404, 409, 410, 418, 429, 500, 502, 503, 504, 595, 599, 999,
    ]);
    answer.headers = {
      location: chance.of(["http://127.0.0.1:1/", "/", "file:///etc/passwd", "\u0080"]),
      "retry-after": chance.of(["1", "-1", "NaN", "1e9"]),
    };
    if (chance.below(2) === 0) answer.body = Buffer.from(HTML);
  },
  (answer) => {
    answer.body = gzipSync(answer.body);
    answer.headers = { ...answer.headers, "content-encoding": "gzip" };
  },
  (answer) => {
    answer.headers = { "x-flood": Array.from({ length: 400 }, (_, at) => `${at}`.repeat(50)) };
  },
];

/** Changes a response in some way. */
export function spoil(answer: Answer, chance: Chance): void {
  if (answer.part && answer.site.startsWith("talos ")) answer.body = spoiledMessage(answer.body, chance);
  else if (answer.part || chance.below(4) > 0) answer.body = Buffer.from(spoiledText(answer.body.toString("utf8"), chance));
  else chance.of(WHOLE)(answer, chance);
}

function spoiledText(text: string, chance: Chance): string {
  const value = parsed(text);
  if (value === undefined) return spoiledBytes(text, chance);
  const holder = { root: value };
  const all = [...slots(holder)];
  const { at, key } = all[chance.below(all.length)] as Slot;
  const how = chance.below(8);
  const mark = `@${chance.below(1e9)}@`;
  if (how === 0 && !Array.isArray(at)) delete at[key];
  else if (how === 1 && Array.isArray(at)) at.push(...Array.from({ length: 3 }, () => structuredClone(at[Number(key)])));
  else at[key] = mark;
  const line = text.endsWith("\n") ? "\n" : "";
  return `${JSON.stringify(holder.root) ?? ""}${line}`.replace(`"${mark}"`, () => chance.of(VALUES));
}

function spoiledBytes(text: string, chance: Chance): string {
  const at = chance.below(text.length + 1);
  const piece = chance.of(["", "\u0000", "\u001b[2J", "\n- ", ": ", "[", "{", '"', "&a *a", "x".repeat(5_000), "../", "\t"]);
  return text.slice(0, at) + piece + text.slice(at + chance.below(40));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface Slot {
  at: Record<string, unknown>;
  key: string;
}

function* slots(value: unknown): Generator<Slot> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    yield { at: value as Record<string, unknown>, key };
    yield* slots((value as Record<string, unknown>)[key]);
  }
}
