import { expect, test } from "vitest";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { readWire } from "./wire-file.ts";

function read(text: string | Uint8Array, more: Record<string, string> = {}) {
  const files = new VolatileFiles();
  files.makeFolder("/lab", 0o700);
  files.write("/lab/wire.yaml", Buffer.from(text as string), 0o600);
  for (const [path, content] of Object.entries(more)) files.write(path, Buffer.from(content), 0o600);
  return readWire(files, "/lab/wire.yaml");
}
const leading = (from: string, to: string) => `connect: { "${from}": "${to}" }`;

test.each([1, 65_535])("port %i can be led and be led to", (port) => {
  expect(read(leading(`pve:${port}`, `127.0.0.1:${port}`)).rules).toEqual([
    { from: { at: "pve", port }, to: { at: "127.0.0.1", port } },
  ]);
});

test.each([0, 65_536])("port %i is invalid, on either side", (port) => {
  for (const text of [leading(`pve:${port}`, "127.0.0.1:1"), leading("pve:1", `127.0.0.1:${port}`)])
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "WIRE_INVALID" }));
});

test("the authority is a file beside the wire's own, and must be there", () => {
  const text = `${leading("pve:1", "127.0.0.1:1")}\nca: ca.pem\n`;
  expect(read(text, { "/lab/ca.pem": "PEM" }).ca).toBe("PEM");
  expect(() => read(text)).toThrow(
    expect.objectContaining({ code: "WIRE_FILE", message: expect.stringContaining("/lab/ca.pem") }),
  );
});

test.each<[string, string | Uint8Array, string]>([
  ["is empty", "", "WIRE_FILE"],
  ["is no text", Buffer.from([0xff, 0xfe, 0x80]), "WIRE_FILE"],
  ["is no YAML", "connect: {", "WIRE_INVALID"],
  ["says nothing of what to connect", "timeScale: 20", "WIRE_INVALID"],
  ["stops the clock", "connect: {}\ntimeScale: 0", "WIRE_INVALID"],
  ["has an unknown key", "connect: {}\nspeed: 2", "WIRE_INVALID"],
])("a wire file that %s is refused", (_, text, code) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ kind: "user", code }));
});
