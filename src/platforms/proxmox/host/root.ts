import { hasCode, remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { parseJson } from "@talosmith/lib/json.ts";
import { connectSsh, type Executed } from "@talosmith/lib/ssh/ssh.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { SshConfig } from "../../../config/config.ts";
import { flag, hostName, list, text } from "../client/loose.ts";
import { command, quote } from "./quote.ts";

/** Root's shell on one host. Secrets are passed by `stdin`, because command lines are shown and logged. */
export interface Shell {
  readonly host: string;
  /** Runs a command that may fail and changes nothing. Retries when the response is lost. */
  ask(line: string): Promise<Executed>;
  /** Runs a command that changes nothing and must succeed; returns its output. `what` describes it in errors: "read the roles". */
  look(what: string, line: string): Promise<string>;
  /** Runs a command that changes nothing; returns undefined when it fails with output that matches `absent`. */
  find(what: string, line: string, absent: RegExp): Promise<string | undefined>;
  json(what: string, line: string): Promise<unknown>;
  /** Runs a command that changes something. The error names the host, the command and its output. */
  run(what: string, line: string, stdin?: string): Promise<string>;
  /** Undefined when there is no such file. */
  read(path: string): Promise<string | undefined>;
}

/** Root on every host of a cluster. */
export interface Root {
  /** The host that was logged in to. */
  readonly entry: Shell;
  readonly members: readonly Member[];
  on(host: string): Shell;
  /** The number of commands so far. */
  calls(): number;
  close(): void;
}

export interface Member {
  name: string;
  address: string;
  online: boolean;
}

export const SECTION = "proxmox.ssh";

/** Logs in to one host; the others are reached from there with the cluster's own SSH keys, as Proxmox's programs do. */
export async function openRoot(world: World, ssh: SshConfig, signal: AbortSignal): Promise<Root> {
  const connection = await connectSsh(world, { ...ssh, section: SECTION }, signal);
  const execute: Execute = (line, stdin) => connection.execute(line, { signal, ...(stdin !== undefined && { stdin }) });
  try {
    return await rootBy(execute, ssh, () => connection.close());
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Runs a command on the host that was logged in to. */
export type Execute = (line: string, stdin?: string) => Promise<Executed>;

/** Builds root's shells on any function that runs commands on the first host. */
export async function rootBy(run: Execute, ssh: SshConfig, close: () => void): Promise<Root> {
  let calls = 0;
  const execute: Execute = (line, stdin) => {
    calls++;
    return run(line, stdin);
  };
  const first = await execute("id -u && hostname");
  const [uid, name = ""] = first.stdout.split("\n");
  if (uid !== "0") throw notRoot(ssh);
  const entry = shellOn(name, execute);
  const members = await membersOf(entry, ssh);
  const shells = new Map(
    members.map((member) => [member.name, member.name === name ? entry : shellOn(member.name, through(execute, member))]),
  );
  return {
    entry,
    members,
    on: (host) => shells.get(host) ?? strangerTo(entry, host),
    calls: () => calls,
    close,
  };
}

/** Runs commands on another host, with the SSH options of PVE::SSHInfo: hosts know each other by name, from the cluster's known_hosts file. */
function through(execute: Execute, { name, address }: Member): Execute {
  const options = [
    "BatchMode=yes",
    "ConnectTimeout=15",
    `HostKeyAlias=${name}`,
    `UserKnownHostsFile=/etc/pve/nodes/${name}/ssh_known_hosts`,
  ];
  const hop = command(
    "ssh",
    ...[...options, "GlobalKnownHostsFile=none"].flatMap((option) => ["-o", option]),
    `root@${address}`,
    "--",
  );
  return (line, stdin) => execute(`${hop} ${quote(line)}`, stdin);
}

async function membersOf(entry: Shell, ssh: SshConfig): Promise<Member[]> {
  const line = command("pvesh", "get", "/cluster/status", "--output-format", "json");
  const { code, stdout, stderr } = await entry.ask(line);
  if (code === 127)
    throw userError("NOT_PROXMOX", {
      message: `Unable to prepare ${ssh.host}: it is not a Proxmox host`,
      detail: stderr.trim(),
      hint: `${SECTION}.host must be a host of the Proxmox cluster, not this computer or a machine on it`,
    });
  if (code !== 0) throw failed(entry.host, "look at the cluster", line, { code, stdout, stderr });
  return list(printedJson(stdout, "the cluster"), "the cluster")
    .filter((item) => item.type === "node")
    .map((item) => ({ name: hostName(item.name, "a host's name"), address: text(item.ip) ?? "", online: flag(item.online) }));
}

const ASKED_AT_MOST = 4;

function shellOn(host: string, execute: Execute): Shell {
  const requireSuccess = (what: string, line: string, ended: Executed): string => {
    if (ended.code !== 0) throw failed(host, what, line, ended);
    return ended.stdout;
  };
  const ask = async (line: string): Promise<Executed> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await execute(line);
      } catch (error) {
        const lost = hasCode(error, "SSH_COMMAND_LOST");
        if (!lost || attempt === ASKED_AT_MOST) throw error;
      }
    }
  };
  const look = async (what: string, line: string): Promise<string> => requireSuccess(what, line, await ask(line));
  return {
    host,
    ask,
    look,
    find: async (what, line, absent) => {
      const ended = await ask(line);
      return ended.code !== 0 && absent.test(ended.stderr) ? undefined : requireSuccess(what, line, ended);
    },
    json: async (what, line) => printedJson(await look(what, line), what),
    run: async (what, line, stdin) => requireSuccess(what, line, await execute(line, stdin)),
    read: async (path) => {
      const ended = await ask(`test -f ${quote(path)} && cat ${quote(path)}`);
      if (ended.code === 0) return ended.stdout;
      if (ended.code === 1 && ended.stderr === "") return undefined;
      throw failed(host, `read ${path}`, `cat ${quote(path)}`, ended);
    },
  };
}

export function printedJson(text: string, what: string): unknown {
  const odd = (detail: string, cause?: unknown) =>
    remoteError("HOST_ANSWER", {
      message: `Unable to understand what Proxmox printed about ${what}`,
      detail,
      hint: "log in as root there and remove the text that its shell prints at login (~/.bashrc); then run the same command again",
      cause,
    });
  // No name, address or comment has a NUL in it, and no shell takes one.
  if (/\\u0000/.test(text)) throw odd("there is a NUL in it");
  try {
    return parseJson(text);
  } catch (error) {
    throw odd(text.slice(0, 200), error);
  }
}

const LOCKED = /got timeout|got lock request timeout|Could not get lock/;

function failed(host: string, what: string, line: string, { code, stdout, stderr }: Executed): TalosmithError {
  const said = (stderr.trim() || stdout.trim()).split("\n").slice(-12).join("\n");
  // 255 is ssh's own exit code: the second host did not answer.
  const unreachable =
    code === 255 && /^(ssh: |.*(?:Connection (?:to \S+ )?(?:refused|closed|reset|timed out)|No route to host))/m.test(stderr);
  return remoteError(unreachable ? "HOST_UNREACHABLE" : "HOST_COMMAND", {
    message: `Unable to ${what} on ${host}`,
    detail: `${host}# ${line}\n${said === "" ? "it printed nothing" : said}\nexit code ${code}`,
    hint: /Host key verification failed/.test(stderr)
      ? `the hosts do not know each other's SSH keys; as root on ${host}:  pvecm updatecerts`
      : `log in as root on ${host} and try the command there; then run the same command again`,
    transient: unreachable || LOCKED.test(said),
  });
}

function strangerTo(entry: Shell, host: string): Shell {
  throw userError("NO_SUCH_HOST", {
    message: `There is no host ${host} in the cluster of ${entry.host}`,
    hint: "correct proxmox.hosts and the nodes' host: to the names that Proxmox shows",
  });
}

function notRoot(ssh: SshConfig): TalosmithError {
  return userError("NOT_ROOT", {
    message: `Unable to prepare ${ssh.host} as ${ssh.user}: that is not root`,
    hint: `set ${SECTION}.user: root. Everything host prepare does is shown before it is done`,
  });
}
