import { createHmac } from "node:crypto";

/** One line of a known_hosts file; see sshd(8), SSH_KNOWN_HOSTS FILE FORMAT. */
interface KnownHost {
  marker?: string;
  patterns: readonly string[];
  key: HostKey;
}

export interface HostKey {
  /** "ssh-ed25519" */
  type: string;
  blob: Buffer;
}

/** The known_hosts entries of one host. */
export interface Known {
  keys: readonly HostKey[];
  /** A host that shows one of these is refused. */
  revoked: readonly HostKey[];
}

export function knownKeys(files: readonly string[], host: string, port: number): Known {
  const name = port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
  const about = files.flatMap((text) => text.split("\n")).flatMap((line) => knownHost(line) ?? []);
  const matching = about.filter(({ patterns }) => matches(patterns, name));
  return {
    // Lines of certificate authorities apply to certificates, which are not used here.
    keys: matching.filter(({ marker }) => marker === undefined).map(({ key }) => key),
    revoked: matching.filter(({ marker }) => marker === "@revoked").map(({ key }) => key),
  };
}

function knownHost(line: string): KnownHost | undefined {
  const words = line.trim().split(/[ \t]+/);
  const marker = words[0]?.startsWith("@") ? words.shift() : undefined;
  const [hosts, type, blob] = words;
  if (hosts === undefined || type === undefined || blob === undefined || hosts.startsWith("#")) return undefined;
  const key = { type, blob: Buffer.from(blob, "base64") };
  return { ...(marker !== undefined && { marker }), patterns: hosts.split(","), key };
}

function matches(patterns: readonly string[], name: string): boolean {
  const negated = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  if (negated.some((pattern) => fits(pattern, name))) return false;
  return patterns.some((pattern) => !pattern.startsWith("!") && fits(pattern, name));
}

function fits(pattern: string, name: string): boolean {
  if (pattern.startsWith("|")) return fitsHashed(pattern, name);
  const parts = pattern.toLowerCase().replaceAll(/[.+^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(`^${parts.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(name);
}

/** "|1|salt|hash": written with HashKnownHosts, so that the file does not reveal host names. */
function fitsHashed(pattern: string, name: string): boolean {
  const [, magic, salt = "", hash] = pattern.split("|");
  return magic === "1" && createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64") === hash;
}
