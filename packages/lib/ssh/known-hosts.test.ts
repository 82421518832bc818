import { expect, test } from "vitest";
import { fingerprint, typeOf, withoutFamilyOf } from "./host-key.ts";
import { knownKeys } from "./known-hosts.ts";

const BLOB = "AAAAC3NzaC1lZDI1NTE5AAAAIMNQUzIQ0YZdik5BIB2MdVpA9rcxuOpBwuH1r1UHhzHD";
const KEY = `ssh-ed25519 ${BLOB}`;
/** The output of `ssh-keygen -l` (OpenSSH 9.2) for this key. */
const FINGERPRINT = "SHA256:OGaLDH/Ffkwp2wM6QpMmF9+Mhx0kEd9m/QNrp19SZiU";
/** The lines "192.168.122.70 …" and "[pve.example]:2222 …" after `ssh-keygen -H`. */
const HASHED = `|1|iSB8fVfxS0SYkkA58CDMlQel7yc=|1nG5hoTl1Gaboe26pQRQJxQVbKE= ${KEY}
|1|slIxP+lAGWwUUX/wFdZYq41JNZM=|qF6WyjsUxCnOxMsDI3sbDAXKA2Y= ${KEY}
`;

const found = (text: string, host: string, port = 22) => knownKeys([text], host, port).keys.length;

test("a fingerprint is the one that ssh prints", () => {
  expect([fingerprint(Buffer.from(BLOB, "base64")), typeOf(Buffer.from(BLOB, "base64"))]).toEqual([FINGERPRINT, "ssh-ed25519"]);
});

test.each([
  ["the host's own line", `pve ${KEY}`, "pve", 22],
  ["a name in a list", `pve,192.168.122.70 ${KEY} a comment`, "192.168.122.70", 22],
  ["a name in other letters", `PVE ${KEY}`, "pve", 22],
  ["another port than 22", `[pve]:2222 ${KEY}`, "pve", 2222],
  ["a pattern", `*.example,192.168.?.70 ${KEY}`, "pve.example", 22],
  ["tabs and a carriage return", `\tpve\t${KEY}\r`, "pve", 22],
  ["a hashed name", HASHED, "192.168.122.70", 22],
  ["a hashed name with its port", HASHED, "pve.example", 2222],
])("a host is found by %s", (_, text, host, port) => {
  expect(found(text, host, port)).toBe(1);
});

test.each([
  ["the name at another port", `pve ${KEY}`, "pve", 2222],
  ["a part of a name", `pve ${KEY}`, "pve1", 22],
  ["a dot that stands for itself", `10.10.0.1 ${KEY}`, "10a10.0.1", 22],
  ["a name that the line excludes", `*.example,!pve.example ${KEY}`, "pve.example", 22],
  ["a comment", `# pve ${KEY}`, "pve", 22],
  ["a certificate authority", `@cert-authority pve ${KEY}`, "pve", 22],
  ["another hashed name", HASHED, "pve.example", 22],
  ["half a line", "pve ssh-ed25519", "pve", 22],
])("a host is not found by %s", (_, text, host, port) => {
  expect(found(text, host, port)).toBe(0);
});

test("a revoked key is listed as revoked", () => {
  const known = knownKeys([`@revoked * ${KEY}\npve ${KEY}`], "pve", 22);
  expect([known.keys.length, known.revoked.map(({ blob }) => fingerprint(blob))]).toEqual([1, [FINGERPRINT]]);
});

test("after a wrong RSA key, no other RSA signature algorithm is tried", () => {
  expect(withoutFamilyOf(["ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256"], "ssh-rsa")).toEqual(["ssh-ed25519"]);
});
