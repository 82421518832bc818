import { expect, test } from "vitest";
import { systemError } from "../../../test/support/failing-files.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { parseCidr } from "../cidr.ts";
import { TalosmithError } from "../errors.ts";
import { explained } from "./file-errors.ts";
import type { WireRule } from "./wire.ts";
import { readWire } from "./wire-file.ts";

const FILE = "/lab/wire.yaml";

function folder(text: string | Uint8Array, more: Record<string, string> = {}): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder("/lab", 0o700);
  files.write(FILE, Buffer.from(text), 0o600);
  for (const [path, content] of Object.entries(more)) files.write(path, Buffer.from(content), 0o600);
  return files;
}

const read = (text: string | Uint8Array, more?: Record<string, string>) => readWire(folder(text, more), FILE);
const leading = (from: string, to: string) => `connect: { "${from}": "${to}" }`;

function thrownBy(work: () => unknown): TalosmithError {
  try {
    work();
  } catch (error) {
    if (error instanceof TalosmithError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const network = (text: string) => parseCidr(text) ?? text;

test.each<[string, string, WireRule]>([
  ["pve:1", "127.0.0.1:1", { from: { at: "pve", port: 1 }, to: { at: "127.0.0.1", port: 1 } }],
  ["pve:65535", "127.0.0.1:65535", { from: { at: "pve", port: 65_535 }, to: { at: "127.0.0.1", port: 65_535 } }],
  ["PVE.Example:*", "localhost:*", { from: { at: "pve.example" }, to: { at: "localhost" } }],
  ["[FD00::1]:80", "[::1]:81", { from: { at: "fd00::1", port: 80 }, to: { at: "::1", port: 81 } }],
  ["10.10.0.0/24", "127.80.1.0/24", { from: { at: network("10.10.0.0/24") }, to: { at: network("127.80.1.0/24") } }],
  [
    "10.10.0.0/30:6443",
    "127.0.0.1:20000-20003",
    { from: { at: network("10.10.0.0/30"), port: 6443 }, to: { at: "127.0.0.1", port: 20_000, lastPort: 20_003 } },
  ],
  ["10.0.0.0/8:*", "127.0.0.0/8:*", { from: { at: network("10.0.0.0/8") }, to: { at: network("127.0.0.0/8") } }],
  [
    "10.10.0.1/32:22",
    "127.1.1.1/32:2222",
    { from: { at: network("10.10.0.1/32"), port: 22 }, to: { at: network("127.1.1.1/32"), port: 2222 } },
  ],
])("%s can be mapped to %s", (from, to, rule) => {
  expect(read(leading(from, to)).rules).toStrictEqual([rule]);
});

test("a wire holds its file and its rules, and nothing that the file does not say", () => {
  expect(read("connect: {}")).toStrictEqual({ file: FILE, rules: [] });
  expect(read("connect: {}\nca: ca.pem\ntimeScale: 20", { "/lab/ca.pem": "PEM" })).toStrictEqual({
    file: FILE,
    rules: [],
    ca: "PEM",
    timeScale: 20,
  });
});

test("an absent authority file is an error that names it", () => {
  expect(() => read("connect: {}\nca: ca.pem")).toThrow(
    expect.objectContaining({ code: "WIRE_FILE", message: "There is no file /lab/ca.pem" }),
  );
});

test.each([
  "pve",
  "pve:",
  "pve:0",
  "pve:65536",
  "pve:99999",
  "pve:http",
  "pve:80:80",
  ":80",
  "p v e:80",
  "*",
  "fd00::1:80",
  "[fd00::1]",
  "[pve]:80",
  "[fd00::1:80",
  "fd00]:80",
  "10.10.0.1/24",
  "10.10.0.0/33",
  "10.10.0/24",
  "10.10.0.0/24:",
  "10.10.0.0/24:0",
  "10.10.0.0/24:65536",
  "10.10.0.0/",
  "pve:81-80",
  "pve:0-80",
  "pve:80-65536",
  "10.10.0.0/24:80-335",
  "",
])("%j is not an address, on either side", (text) => {
  for (const wire of [leading(text, "127.0.0.1:1"), leading("pve:1", text)])
    expect(thrownBy(() => read(wire)).problems.map(({ message }) => message)).toEqual([`connect: "${text}" is not an address`]);
});

test.each([
  ["pve:1", "10.10.0.2:80"],
  ["pve:1", "localhost.example:80"],
  ["pve:1", "[fd00::1]:80"],
  ["10.10.0.0/24", "0.0.0.0/24"],
  ["10.10.0.0/24", "128.0.0.0/24"],
  ["10.0.0.0/7", "126.0.0.0/7"],
])("%s cannot be mapped to %s, which is not on this machine", (from, to) => {
  expect(thrownBy(() => read(leading(from, to))).problems).toMatchObject([
    { message: `connect: "${to}" is not on this machine`, hint: "use an address in 127.0.0.0/8" },
  ]);
});

test.each([
  ["10.10.0.0/24", "127.80.1.0/25"],
  ["10.10.0.0/25", "127.80.1.0/24"],
  ["10.10.0.1:80", "127.80.1.0/24"],
  ["10.10.0.0/24", "127.80.1.1:80"],
  ["10.10.0.1:80", "127.80.1.1/32"],
  ["10.10.0.0/30:80", "127.0.0.1:20000-20002"],
  ["10.10.0.0/30", "127.0.0.1:20000-20003"],
])("%s cannot be mapped to %s, which is of another size", (from, to) => {
  expect(thrownBy(() => read(leading(from, to))).problems.map(({ message }) => message)).toEqual([
    `connect: "${from}" and "${to}" are not of the same size`,
  ]);
});

test.each<[string, string | Uint8Array, string]>([
  ["is empty", "", "/lab/wire.yaml is empty"],
  ["is not text", Buffer.from([0xff, 0xfe, 0x80]), "/lab/wire.yaml is not UTF-8 text"],
])("a wire file that %s is refused", (_, text, message) => {
  expect(thrownBy(() => read(text))).toMatchObject({ kind: "user", code: "WIRE_FILE", message });
});

test("a missing wire file is refused with an example", () => {
  expect(thrownBy(() => readWire(new VolatileFiles(), FILE))).toMatchObject({
    code: "WIRE_FILE",
    message: "There is no wire file /lab/wire.yaml",
    hint: expect.stringContaining("connect:"),
  });
});

test("a wire file that cannot be read is an error with the system's reason", () => {
  const files = explained({
    ...explained(new VolatileFiles()),
    read: () => {
      throw systemError("EIO", "read");
    },
  });
  expect(thrownBy(() => readWire(files, FILE))).toMatchObject({
    code: "WIRE_FILE",
    message: "Unable to read the wire file /lab/wire.yaml",
    detail: expect.stringContaining("the disk failed"),
  });
});

test.each([
  ["connect:\n  10.10.0.1: 127.0.0.1:80", 2, 3, 'connect: "10.10.0.1" is not an address', "10.10.0.0/24:22"],
  ["connect:\n  pve:1: pve:2", 2, 10, 'connect: "pve:2" is not on this machine', "127.0.0.0/8"],
  ["connect:\n  pve:1: [a]", 2, 10, "connect.pve:1 is not understood", "connect:\n"],
  ["connect: {}\nspeed: 2", 2, 1, "speed is no known key", "remove it"],
  ["connect: {}\nconnect: {}", 2, 1, "", ""],
  ["connect: {}\ntimeScale: fast", 2, 12, "timeScale is not understood", "timeScale: 20"],
  ["connect: {}\ntimeScale: 0", 2, 12, "timeScale is not understood", "timeScale: 20"],
  ["connect: {}\nca: 7", 2, 5, "ca is not understood", "connect:\n"],
  ["timeScale: 2", 1, 1, "connect is missing", "connect:\n"],
  ["- connect", 1, 1, "the file is not understood", "connect:\n"],
  ["connect: {", 1, 10, "", ""],
])("%j has one problem, at line %i, column %i", (text, line, column, message, hint) => {
  const error = thrownBy(() => read(text));
  expect(error).toMatchObject({ kind: "user", code: "WIRE_INVALID", message: "/lab/wire.yaml has 1 problem" });
  expect(error.problems).toMatchObject([
    {
      kind: "user",
      code: "WIRE_INVALID",
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
      where: { file: FILE, line, column, frame: expect.stringContaining("^") },
    },
  ]);
});

test("all problems of a file are reported together", () => {
  const lines = (text: string) => thrownBy(() => read(text)).problems.map(({ where }) => where?.line);
  expect(lines("connect:\n  a: b\n  ok:1: 127.0.0.1:1\n  c:1: d\n")).toEqual([2, 4]);
  expect(lines("connect: {}\na: 1\nb: 2\ntimeScale: x\n")).toEqual(expect.arrayContaining([2, 3, 4]));
});
