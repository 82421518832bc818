import type { Secret } from "@talosmith/lib/secret.ts";
import type { ChartOptions } from "./addon.ts";

/** The repository of a GitOps controller, with its credentials. */
export interface GitOptions extends ChartOptions {
  readonly branch?: string;
  /** Folder of the repository that describes this cluster. */
  readonly path?: string;
  /** Private SSH key, which the repository knows as a read-only deploy key. */
  readonly key?: Secret;
  /** Lines of a known_hosts file; not needed for the hosts that `knownHostsOf` knows. */
  readonly knownHosts?: string;
  readonly username?: string;
  readonly password?: Secret;
}

/** Converts "git@github.com:me/cluster.git" to a URL; other texts stay unchanged. */
export function gitUrl(text: string): string {
  const [, user, host, path] = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/\/)(.+)$/.exec(text) ?? [];
  if (host === undefined || path === undefined) return text;
  return `ssh://${user === undefined ? "" : `${user}@`}${host}/${path.replace(/^\/+/, "")}`;
}

/** The SSH keys that these hosts publish. */
const KNOWN_HOSTS: Readonly<Record<string, readonly string[]>> = {
  "github.com": [
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=",
  ],
  "gitlab.com": [
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf",
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBFSMqzJeV9rUzU4kWitGjeR4PWSa29SPqJ1fVkhtj3Hw9xjLVXVYrU9QlYWrOLXBpQ6KWjbjTDTdDkoohFzgbEY=",
  ],
  "codeberg.org": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIVIC02vnjFyL+I4RHfvIGNtOgJMe769VTF1VR4EB3ZB"],
};

/** The known_hosts lines for a repository's host; undefined for other hosts or other ports. */
export function knownHostsOf(url: string): string | undefined {
  if (!URL.canParse(gitUrl(url))) return undefined;
  const { hostname, port } = new URL(gitUrl(url));
  if (port !== "" && port !== "22") return undefined;
  const keys = Object.hasOwn(KNOWN_HOSTS, hostname) ? KNOWN_HOSTS[hostname] : undefined;
  return keys?.map((key) => `${hostname} ${key}\n`).join("");
}
