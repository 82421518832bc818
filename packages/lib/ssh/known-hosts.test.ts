import { expect, test } from "vitest";
import { fingerprint, typeOf } from "./host-key.ts";
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
  ["a name with a marker-like comment", `pve ${KEY} @revoked`, "pve", 22],
  ["the last of several lines", `# note\n\n  \nother ${KEY}\n@cert-authority * ${KEY}\npve ${KEY}`, "pve", 22],
  ["a name that another part of the line does not exclude", `*.example,!pve ${KEY}`, "pve.example", 22],
  ["a name beside one that ends with it", `xpve,pve ${KEY}`, "pve", 22],
  ["a pattern with capitals", `PVE* ${KEY}`, "pve.example", 22],
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
  ["a name that an excluded pattern covers", `*.example,!p*,pve.example ${KEY}`, "pve.example", 22],
  ["an exclusion alone", `!other ${KEY}`, "pve", 22],
  ["an exclusion before the name", `!pve,pve ${KEY}`, "pve", 22],
  ["a comment without a blank", `#pve ${KEY}`, "#pve", 22],
  ["its own port 22 in brackets", `[pve]:22 ${KEY}`, "pve", 22],
  ["an unknown kind of hash", HASHED.replaceAll("|1|", "|2|"), "192.168.122.70", 22],
  ["a revoked key", `@revoked pve ${KEY}`, "pve", 22],
  ["an unknown marker", `@other pve ${KEY}`, "pve", 22],
  ["a marker with half a line", "@revoked pve ssh-ed25519", "pve", 22],
  ["a comment", `# pve ${KEY}`, "pve", 22],
  ["a certificate authority", `@cert-authority pve ${KEY}`, "pve", 22],
  ["another hashed name", HASHED, "pve.example", 22],
  ["half a line", "pve ssh-ed25519", "pve", 22],
])("a host is not found by %s", (_, text, host, port) => {
  expect(found(text, host, port)).toBe(0);
});

test("a host is looked up in small letters, whatever the case of its name", () => {
  expect([found(`pve ${KEY}`, "PVE"), found(`[pve]:2222 ${KEY}`, "PVE", 2222)]).toEqual([1, 1]);
});

test("keys of all lines and files are listed, with their types and bytes", () => {
  const other = "ecdsa-sha2-nistp256 AAAA";
  const { keys, revoked } = knownKeys([`pve ${KEY}\nx ${KEY}\n`, `pve ${other}`], "pve", 22);
  expect(keys).toEqual([
    { type: "ssh-ed25519", blob: Buffer.from(BLOB, "base64") },
    { type: "ecdsa-sha2-nistp256", blob: Buffer.from("AAAA", "base64") },
  ]);
  expect(revoked).toEqual([]);
});

test("a key of another host is not revoked for this one", () => {
  expect(knownKeys([`@revoked other ${KEY}\n@cert-authority pve ${KEY}`], "pve", 22).revoked).toEqual([]);
});

test("a revoked key is listed as revoked", () => {
  const known = knownKeys([`@revoked * ${KEY}\npve ${KEY}`], "pve", 22);
  expect([known.keys.length, known.revoked.map(({ blob }) => fingerprint(blob))]).toEqual([1, [FINGERPRINT]]);
});
