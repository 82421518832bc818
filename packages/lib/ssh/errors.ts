import { remoteError, type TalosmithError, userError } from "../errors.ts";
import type { Verdict } from "./host-key.ts";

export interface SshLogin {
  host: string;
  port: number;
  user: string;
  /** The section of the config that describes this login. */
  section?: string;
  /** False where the config could set hostKey: first and does not. */
  firstKey?: boolean;
}

/** For hosts whose keys cannot be known in advance. */
const BELIEVE = "\na rescue system makes a new key at every start; hostKey: first trusts the first key it shows";

const section = (place: SshLogin) => place.section ?? "network.ssh";

const at = ({ host, port }: SshLogin) => (port === 22 ? host : `${host}:${port}`);
const asTyped = ({ host, port, user }: SshLogin) => `ssh ${port === 22 ? "" : `-p ${port} `}${user}@${host}`;

export function unreachable(place: SshLogin, why: string, cause: unknown): TalosmithError {
  return remoteError("SSH_UNREACHABLE", {
    message: `Unable to reach ${at(place)} by SSH: ${why}`,
    hint: `check that ${place.host} is the right address, that it runs, and that this works:  ${asTyped(place)} true`,
    cause,
    transient: true,
  });
}

/** `seen` has several keys when the host has keys of several types and none is the right one. */
export function untrusted(
  place: SshLogin,
  verdict: Exclude<Verdict, { is: "trusted" }>,
  seen: readonly string[],
): TalosmithError {
  if (verdict.is === "unknown") {
    return userError("SSH_HOST_UNKNOWN", {
      message: `Unable to trust ${at(place)}: its SSH host key is unknown`,
      detail: `it shows ${verdict.seen}. Nothing was sent.`,
      hint: `compare it with the output of this command on ${place.host} itself:\n  for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf $key; done\nif it is in the output, put it into config.yaml:\n  ${section(place)}.hostKey: "${verdict.seen}"${place.firstKey === false ? BELIEVE : ""}`,
    });
  }
  const expected = verdict.expected.map((key) => `\n${verdict.by} ${key}`).join("");
  return remoteError("SSH_HOST_KEY", {
    message: `Unable to trust ${at(place)}: its SSH host key is ${verdict.is === "revoked" ? "a revoked one" : "not the known one"}`,
    detail: `it shows ${seen.join(", ")}${expected}\nNothing was sent.`,
    hint:
      verdict.is === "revoked"
        ? "known_hosts marks this key as revoked; do not use this host until it has a new key"
        : `if the host was reinstalled, replace its key in ${section(place)}.hostKey (or in known_hosts: ssh-keygen -R); otherwise another machine may be intercepting the connection`,
  });
}

/** `tried`: the login methods that were refused or not available, one per line. */
export function refused(place: SshLogin, tried: readonly string[], cause?: unknown): TalosmithError {
  return userError("SSH_AUTH", {
    message: `Unable to log in to ${at(place)} as ${place.user}`,
    detail: tried.length === 0 ? "there is no SSH key to log in with" : tried.join("\n"),
    hint: `set a private key in ${section(place)}.key, or load one into the agent with ssh-add; then this must work without a prompt:\n  ${asTyped(place)} true`,
    cause,
  });
}

export function badKey(what: string, why: string, hint: string): TalosmithError {
  return userError("SSH_KEY", { message: `Unable to use ${what}: ${why}`, hint });
}

/** The cause has the error code of a direct dial, so that a caller that waits for a machine to boot handles both alike. */
export function forwardFailed(place: SshLogin, to: string, code: string, why: string, cause: unknown): TalosmithError {
  return remoteError("SSH_FORWARD", {
    message: `Unable to reach ${to} through ${at(place)}: ${why}`,
    cause: Object.assign(new Error(`${why}: ${to} through ${at(place)}`, { cause }), { code }),
    transient: true,
  });
}

export function forwardProhibited(place: SshLogin, to: string, why: string, cause: unknown): TalosmithError {
  return remoteError("SSH_FORWARD_PROHIBITED", {
    message: `Unable to reach ${to} through ${at(place)}: the host does not forward for ${place.user}`,
    detail: why,
    hint: `on ${place.host}, sshd_config must say AllowTcpForwarding yes (or local), and PermitOpen must not exclude ${to}`,
    cause,
  });
}

/** The server refused to open a session: the command was not started. */
export function sessionRefused(place: SshLogin, why: string, cause: unknown): TalosmithError {
  return remoteError("SSH_SESSION_REFUSED", {
    message: `Unable to run a command on ${at(place)}: it refuses to open a session for ${place.user}`,
    detail: why,
    hint: `on ${place.host}, sshd_config must allow sessions: MaxSessions must not be 0 (its default is 10). This must work:  ${asTyped(place)} true`,
    cause,
    transient: true,
  });
}

export function commandLost(place: SshLogin, why: string, cause: unknown): TalosmithError {
  return remoteError("SSH_COMMAND_LOST", {
    message: `Unable to get the result of a command on ${at(place)}: ${why}`,
    hint: `run the same command again: it checks the current state first. If it fails again, check that this works:  ${asTyped(place)} true`,
    cause,
    transient: true,
  });
}
