import type { Client, ClientChannel } from "ssh2";
import { commandLost, sessionRefused } from "./errors.ts";
import type { Executed, SshTarget } from "./ssh.ts";

/**
 * Runs one command until its exit code; calls `dead` before it rejects because there is no exit code. Fails with SSH_SESSION_REFUSED when the server
 * refuses to open a channel.
 */
export function executed(client: Client, target: SshTarget, command: string, stdin: string, dead: () => void): Promise<Executed> {
  return new Promise((resolve, reject) => {
    const lost = (error?: Error) => {
      client.off("close", lost);
      dead();
      reject(commandLost(target, error?.message ?? "the connection was closed", error));
    };
    client.once("close", lost);
    try {
      client.exec(command, (error, channel) => {
        if (error && isRefusedChannel(error)) {
          client.off("close", lost);
          return reject(sessionRefused(target, error.message, error));
        }
        if (error) return lost(error);
        answer(channel).then((ended) => {
          client.off("close", lost);
          if (ended !== undefined && "code" in ended) resolve(ended);
          else lost(ended);
        });
        channel.end(stdin);
      });
    } catch (error) {
      lost(error as Error);
    }
  });
}

/** Whether the server refused to open a channel: the connection is alive, and nothing was run. */
export function isRefusedChannel(error: Error & { reason?: unknown }): boolean {
  return typeof error.reason === "number";
}

/** Far more than any of our commands prints. */
const MOST_SAID = 64 * 1024 * 1024;

/** Undefined when the channel closed without an exit code: the host went away, or a signal ended the command. */
function answer(channel: ClientChannel): Promise<Executed | Error | undefined> {
  const parts: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  let said = 0;
  const take = (into: Buffer[]) => (part: Buffer) => {
    said += part.length;
    if (said <= MOST_SAID) into.push(part);
    else channel.destroy();
  };
  channel.on("data", take(parts.stdout));
  channel.stderr.on("data", take(parts.stderr));
  // A command that does not read its input closes it; its exit code is the result.
  channel.on("error", () => {});
  return new Promise((done) => {
    let code: number | undefined;
    channel.on("exit", (given: number | null) => {
      code = given ?? undefined;
    });
    channel.on("close", () => {
      if (said > MOST_SAID) return done(new Error("its output is larger than 64 MiB"));
      const text = (part: "stdout" | "stderr") => Buffer.concat(parts[part]).toString("utf8");
      done(code === undefined ? undefined : { code, stdout: text("stdout"), stderr: text("stderr") });
    });
  });
}
