import { createHmac } from "node:crypto";

/** One line of a known_hosts file; see sshd(8), SSH_KNOWN_HOSTS FILE FORMAT. */
interface KnownHost {
  marker: string | undefined;
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
  const matching = files.flatMap(knownHosts).filter(({ patterns }) => matches(patterns, name));
  return {
    // Lines of certificate authorities apply to certificates, which are not used here.
    keys: matching.filter(({ marker }) => marker === undefined).map(({ key }) => key),
    revoked: matching.filter(({ marker }) => marker === "@revoked").map(({ key }) => key),
  };
}

/** Marker, host patterns, type and key of each line; comments and incomplete lines do not match. */
const LINES = /^[ \t]*(?:(@\S+)[ \t]+)?([^\s#@]\S*)[ \t]+(\S+)[ \t]+(\S+)/gm;

function knownHosts(text: string): KnownHost[] {
  return [...text.matchAll(LINES)].map(([, marker, hosts = "", type = "", blob = ""]) => ({
    marker,
    patterns: hosts.split(","),
    key: { type, blob: Buffer.from(blob, "base64") },
  }));
}

function matches(patterns: readonly string[], name: string): boolean {
  if (patterns.some((pattern) => pattern.startsWith("!") && fits(pattern.slice(1), name))) return false;
  // No name begins with an exclamation mark, so that an exclusion matches nothing here.
  return patterns.some((pattern) => fits(pattern, name));
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
