import { remoteError, userError } from "@talosmith/lib/errors.ts";
import { connectSsh, type SshConnection, type SshTarget } from "@talosmith/lib/ssh/ssh.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Shell } from "./shell.ts";
import { quoted } from "./write/commands.ts";

/** Login shells with POSIX syntax; others have to start sh. */
const POSIX = /\/(sh|bash|dash|ash|ksh|mksh|busybox)$/;

/** Logs in on a server, as root: by the login itself or by sudo without a password. */
export async function openShell(world: World, target: SshTarget, signal?: AbortSignal): Promise<Shell> {
  const connection = await connectSsh(world, target, signal);
  try {
    return shellOver(connection, target, await asRoot(connection, target, signal));
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Returns a function that turns a command line into one that root runs. */
async function asRoot(connection: SshConnection, target: SshTarget, signal?: AbortSignal): Promise<(command: string) => string> {
  const options = signal ? { signal } : {};
  const answer = await connection.execute('id -u; echo "$SHELL"; echo "$SSH_CONNECTION"', options);
  const [id, shell = "", from = ""] = answer.stdout.split("\n");
  if (!/^\d+$/.test(id ?? "")) throw notAShell(target, answer.stderr || answer.stdout);
  if (id === "0") return POSIX.test(shell.trim()) ? (command) => command : (command) => `sh -c ${quoted(command)}`;
  const sudo = await connection.execute("sudo -n id -u", options);
  // Restores a variable that sudo removes: the address of this computer is needed later.
  const before = `export SSH_CONNECTION=${quoted(from.trim())}\n`;
  if (sudo.stdout.trim() === "0") return (command) => `sudo -n sh -c ${quoted(before + command)}`;
  throw userError("NOT_ROOT", {
    message: `Unable to write to the disks of ${target.host}: ${target.user} is not root there, and sudo asks for a password`,
    detail: `${sudo.stderr.trim()}\nNothing was written.`.trimStart(),
    hint: `log in as root: ${target.section ?? "ssh"}.user: root; rescue systems allow only root`,
  });
}

function shellOver(connection: SshConnection, target: SshTarget, asRoot: (command: string) => string): Shell {
  return {
    target,
    run: (command, options) => connection.execute(asRoot(command), options),
    feed: async (command, source, { line, signal }) => {
      const lines = byLine(line ?? (() => {}));
      const flow = { source, take: lines.take, ...(signal && { signal }) };
      const ended = await connection.stream(asRoot(command), flow);
      lines.end();
      return ended;
    },
    fetch: (command, take, signal) => connection.stream(asRoot(command), { take, ...(signal && { signal }) }),
    hostKey: () => connection.hostKey(),
    close: () => connection.close(),
  };
}

/** Splits text that arrives in pieces into lines. */
function byLine(hand: (text: string) => void): { take(part: Uint8Array): void; end(): void } {
  let rest = "";
  return {
    take: (part) => {
      const lines = (rest + Buffer.from(part).toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) hand(line);
    },
    end: () => {
      if (rest !== "") hand(rest);
    },
  };
}

function notAShell(target: SshTarget, said: string) {
  return remoteError("NOT_A_SHELL", {
    message: `Unable to use the login on ${target.host}: it does not run commands as a shell does`,
    detail: `instead of its user id it printed: ${said.trim().slice(0, 200) || "nothing"}\nNothing was written.`,
    hint: "start the server's rescue system; a menu or a provider's console is not enough",
  });
}
