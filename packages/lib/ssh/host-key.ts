import { createHash } from "node:crypto";
import { join } from "node:path";
import type { World } from "../world/world.ts";
import { type Known, knownKeys } from "./known-hosts.ts";
import { readable } from "./readable.ts";

export type Verdict =
  | { is: "trusted" }
  /** `expected`: fingerprints it should have shown; `by`: the source of that expectation. */
  | { is: "another" | "revoked"; seen: string; expected: readonly string[]; by: string }
  | { is: "unknown"; seen: string };

/** How a host's key is judged before anything is sent to it. */
export interface Trusting {
  /** Types of host keys to request, the most likely known ones first. */
  algorithms: readonly string[];
  judge(blob: Buffer): Verdict;
}

/** Without ssh-rsa, whose signatures use SHA-1; an RSA key can sign with SHA-2 as well. */
const RSA: readonly string[] = ["rsa-sha2-512", "rsa-sha2-256"];
const FAMILIES: readonly (readonly string[])[] = [
  ["ssh-ed25519"],
  ["ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"],
  RSA,
];

export const ALGORITHMS = FAMILIES.flat();

/** "SHA256:…" without padding, as ssh prints it. */
export function fingerprint(blob: Buffer): string {
  return `SHA256:${createHash("sha256").update(blob).digest("base64").replaceAll("=", "")}`;
}

export function typeOf(blob: Buffer): string {
  return blob.subarray(4, 4 + blob.readUInt32BE(0)).toString("latin1");
}

/** The algorithms with which a host proves that it owns a key of this type. */
function familyOf(type: string): readonly string[] {
  return type === "ssh-rsa" ? RSA : ALGORITHMS.filter((algorithm) => algorithm === type);
}

/** The other algorithms: a host with keys of several types may have the pinned key under another type. */
export function withoutFamilyOf(algorithms: readonly string[], type: string): string[] {
  const own = familyOf(type);
  const families = FAMILIES.filter((family) => !family.some((algorithm) => own.includes(algorithm)));
  return algorithms.filter((algorithm) => families.flat().includes(algorithm));
}

interface HostKeyRule {
  host: string;
  port: number;
  hostKey?: string;
  firstKey?: boolean;
}

/** Judges by the pinned fingerprint, by the key `shown` first where that is enough, else by the user's known_hosts. */
export function trusting(world: World, { host, port, hostKey, firstKey }: HostKeyRule, shown?: string): Trusting {
  const redirected = world.net.hostKey?.(host, port);
  if (redirected !== undefined) return pinning(redirected, "the redirected connection expects");
  if (hostKey !== undefined) return pinning(hostKey.replace(/=+$/, ""), "the config pins");
  if (firstKey) return shown === undefined ? ANYBODY : pinning(shown, "a moment ago it showed");
  const known = knownKeys(knownHostsFiles(world), host, port);
  const types = known.keys.flatMap(({ type }) => familyOf(type));
  return { algorithms: [...new Set([...types, ...ALGORITHMS])], judge: (blob) => judge(blob, known) };
}

const ANYBODY: Trusting = { algorithms: ALGORITHMS, judge: () => ({ is: "trusted" }) };

function pinning(pinned: string, by: string): Trusting {
  return {
    algorithms: ALGORITHMS,
    judge: (blob) => {
      const seen = fingerprint(blob);
      return seen === pinned ? { is: "trusted" } : { is: "another", seen: `${seen} (${typeOf(blob)})`, expected: [pinned], by };
    },
  };
}

function judge(blob: Buffer, { keys, revoked }: Known): Verdict {
  const seen = `${fingerprint(blob)} (${typeOf(blob)})`;
  if (revoked.some((key) => key.blob.equals(blob))) return { is: "revoked", seen, expected: [], by: "known_hosts revokes" };
  if (keys.some((key) => key.blob.equals(blob))) return { is: "trusted" };
  if (keys.length === 0) return { is: "unknown", seen: fingerprint(blob) };
  const expected = keys.map((key) => `${fingerprint(key.blob)} (${key.type})`);
  return { is: "another", seen, expected, by: "known_hosts says" };
}

function knownHostsFiles(world: World): string[] {
  const home = world.env("HOME");
  const own = home ? ["known_hosts", "known_hosts2"].map((name) => join(home, ".ssh", name)) : [];
  // An unreadable file counts as empty: the host is unknown then, and refused.
  return [...own, "/etc/ssh/ssh_known_hosts"].map((path) => readable(world, path) ?? "");
}
