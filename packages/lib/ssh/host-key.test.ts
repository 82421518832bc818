import { expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { ALGORITHMS, fingerprint, trusting, typeOf, withoutFamilyOf } from "./host-key.ts";

/** A key of this type with any 32 bytes, in wire format. */
function keyOf(type: string, byte: number): { blob: Buffer; line: string } {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const blob = Buffer.concat([field(Buffer.from(type)), field(Buffer.alloc(32, byte))]);
  return { blob, line: `${type} ${blob.toString("base64")}` };
}
const [FIRST, SECOND, OTHER] = [keyOf("ssh-ed25519", 1), keyOf("ecdsa-sha2-nistp256", 2), keyOf("ssh-ed25519", 3)];

const HOME: Record<string, string> = { HOME: "/root" };

/** The trust in a host, with these known_hosts files. */
function trustedBy(known: Record<string, string>, env = HOME) {
  const files = new VolatileFiles();
  for (const folder of ["/root/.ssh", "/etc/ssh"]) files.makeFolder(folder, 0o700);
  for (const [path, text] of Object.entries(known)) files.write(path, Buffer.from(text), 0o600);
  return trusting(testWorld({ files, env }), { host: "pve", port: 22 });
}

/** The verdict about a host's key, with these known_hosts files. */
const judged = (shown: Buffer, known: Record<string, string>, env = HOME) => trustedBy(known, env).judge(shown).is;

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

test("the type of a key is the first field of its blob", () => {
  expect([FIRST, SECOND].map(({ blob }) => typeOf(blob))).toEqual(["ssh-ed25519", "ecdsa-sha2-nistp256"]);
});

test("a refused key is described with its type, and with the fingerprints that were expected and their source", () => {
  expect(trustedBy({ [OWN]: `pve ${FIRST.line}\npve ${SECOND.line}` }).judge(OTHER.blob)).toEqual({
    is: "another",
    seen: `${fingerprint(OTHER.blob)} (ssh-ed25519)`,
    expected: [`${fingerprint(FIRST.blob)} (ssh-ed25519)`, `${fingerprint(SECOND.blob)} (ecdsa-sha2-nistp256)`],
    by: "known_hosts says",
  });
  expect(trustedBy({ [OWN]: `@revoked pve ${FIRST.line}` }).judge(FIRST.blob)).toEqual({
    is: "revoked",
    seen: `${fingerprint(FIRST.blob)} (ssh-ed25519)`,
    expected: [],
    by: "known_hosts revokes",
  });
  const pinned = { host: "pve", port: 22, hostKey: `${fingerprint(FIRST.blob)}==` };
  expect(trusting(testWorld(), pinned).judge(OTHER.blob)).toEqual({
    is: "another",
    seen: `${fingerprint(OTHER.blob)} (ssh-ed25519)`,
    expected: [fingerprint(FIRST.blob)],
    by: "the config pins",
  });
});

test("an unknown key is described by the fingerprint that goes into the config", () => {
  expect(trustedBy({}).judge(FIRST.blob)).toEqual({ is: "unknown", seen: fingerprint(FIRST.blob) });
});

test("a pinned key counts more than trust at first use, and that more than known_hosts", () => {
  const hostKey = fingerprint(FIRST.blob);
  const judge = (rule: object, shown?: string) =>
    trusting(testWorld(), { host: "pve", port: 22, ...rule }, shown).judge(OTHER.blob).is;
  expect(judge({ hostKey, firstKey: true })).toBe("another");
  expect(judge({ hostKey, firstKey: true }, fingerprint(OTHER.blob))).toBe("another");
  expect(judge({ firstKey: false })).toBe("unknown");
});

test("without HOME, only the known_hosts of the system is read", () => {
  const files = { [OWN]: `pve ${FIRST.line}`, "/etc/ssh/ssh_known_hosts": `pve ${SECOND.line}` };
  expect([FIRST, SECOND].map(({ blob }) => judged(blob, files, {}))).toEqual(["another", "trusted"]);
});

test("a host's keys in known_hosts2 are known as well", () => {
  expect(judged(FIRST.blob, { "/root/.ssh/known_hosts2": `pve ${FIRST.line}` })).toBe("trusted");
});

test("an unreadable known_hosts file counts as empty", () => {
  const files = new VolatileFiles();
  files.makeFolder("/root/.ssh", 0o700);
  files.makeFolder(OWN, 0o700);
  const world = testWorld({ files, env: HOME });
  expect(trusting(world, { host: "pve", port: 22 }).judge(FIRST.blob).is).toBe("unknown");
});

test("the types of the known keys are requested first, every other type after them, and each once", () => {
  expect(trustedBy({}).algorithms).toEqual(ALGORITHMS);
  const rest = ["ssh-ed25519", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "rsa-sha2-512", "rsa-sha2-256"];
  expect(trustedBy({ [OWN]: `pve ${SECOND.line}` }).algorithms).toEqual(["ecdsa-sha2-nistp256", ...rest]);
  const rsa = trustedBy({ [OWN]: `pve ${keyOf("ssh-rsa", 4).line}\npve ${FIRST.line}` });
  expect(rsa.algorithms.slice(0, 3)).toEqual(["rsa-sha2-512", "rsa-sha2-256", "ssh-ed25519"]);
  expect([...rsa.algorithms].sort()).toEqual([...ALGORITHMS].sort());
});

test("a known key of a type that no longer proves anything is not requested", () => {
  expect(trustedBy({ [OWN]: `pve ${keyOf("ssh-dss", 4).line}` }).algorithms).toEqual(ALGORITHMS);
});

test.each([
  ["ssh-rsa", ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"]],
  ["ssh-ed25519", ["ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "rsa-sha2-512", "rsa-sha2-256"]],
  ["ecdsa-sha2-nistp384", ["ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256"]],
  ["ssh-dss", ALGORITHMS],
])("after a wrong key of type %s, its whole family is not requested again", (type, others) => {
  expect(withoutFamilyOf(ALGORITHMS, type)).toEqual(others);
});
