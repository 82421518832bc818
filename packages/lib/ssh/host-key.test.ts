import { expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { fingerprint, trusting } from "./host-key.ts";

/** A key of this type with any 32 bytes, in wire format. */
function keyOf(type: string, byte: number): { blob: Buffer; line: string } {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const blob = Buffer.concat([field(Buffer.from(type)), field(Buffer.alloc(32, byte))]);
  return { blob, line: `${type} ${blob.toString("base64")}` };
}
const [FIRST, SECOND, OTHER] = [keyOf("ssh-ed25519", 1), keyOf("ecdsa-sha2-nistp256", 2), keyOf("ssh-ed25519", 3)];

/** The verdict about a host's key, with these known_hosts files. */
function judged(shown: Buffer, known: Record<string, string>): string {
  const files = new VolatileFiles();
  for (const folder of ["/root/.ssh", "/etc/ssh"]) files.makeFolder(folder, 0o700);
  for (const [path, text] of Object.entries(known)) files.write(path, Buffer.from(text), 0o600);
  const world = testWorld({ files, env: { HOME: "/root" } });
  return trusting(world, { host: "pve", port: 22 }).judge(shown).is;
}

const OWN = "/root/.ssh/known_hosts";

test("a host may show any of its known keys, from any known_hosts file", () => {
  const lines = { [OWN]: `pve ${FIRST.line}\npve ${SECOND.line}\n` };
  expect([FIRST, SECOND, OTHER].map(({ blob }) => judged(blob, lines))).toEqual(["trusted", "trusted", "another"]);
  const files = {
    [OWN]: `pve ${FIRST.line}\n`,
    "/root/.ssh/known_hosts2": "",
    "/etc/ssh/ssh_known_hosts": `pve ${SECOND.line}\n`,
  };
  expect(judged(SECOND.blob, files)).toBe("trusted");
});

test("a host without a known key is not trusted", () => {
  expect(judged(FIRST.blob, { [OWN]: `other ${FIRST.line}\n` })).toBe("unknown");
});

test("a revoked key is refused even if another file lists it as known", () => {
  const known = `pve ${FIRST.line}\n`;
  expect(judged(FIRST.blob, { [OWN]: `${known}@revoked * ${FIRST.line}\n` })).toBe("revoked");
  expect(judged(FIRST.blob, { [OWN]: known, "/etc/ssh/ssh_known_hosts": `@revoked pve ${FIRST.line}\n` })).toBe("revoked");
});

test("a pinned fingerprint is compared completely", () => {
  const pinned = fingerprint(FIRST.blob);
  const by = (hostKey: string) => trusting(testWorld(), { host: "pve", port: 22, hostKey }).judge(FIRST.blob).is;
  expect([by(pinned), by(`${pinned}=`)]).toEqual(["trusted", "trusted"]);
  for (let at = "SHA256:".length; at < pinned.length; at++) {
    const other = pinned[at] === "A" ? "B" : "A";
    expect(by(pinned.slice(0, at) + other + pinned.slice(at + 1)), `letter ${at}`).toBe("another");
    expect(by(pinned.slice(0, at)), `the first ${at} letters`).toBe("another");
  }
});

test("a host that is trusted at first use must show the same key later", () => {
  const by = (shown: string | undefined) =>
    trusting(testWorld(), { host: "pve", port: 22, firstKey: true }, shown).judge(FIRST.blob).is;
  expect([by(undefined), by(fingerprint(FIRST.blob)), by(fingerprint(OTHER.blob))]).toEqual(["trusted", "trusted", "another"]);
});
