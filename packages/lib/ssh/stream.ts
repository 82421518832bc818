import type { Client, ClientChannel } from "ssh2";
import { isRefusedChannel } from "./command.ts";
import { commandLost, sessionRefused } from "./errors.ts";
import type { Flow, SshTarget, Streamed } from "./ssh.ts";

const MOST_STDERR = 16 * 1024;

/** Runs one command with streamed input and output until its exit code; calls `dead` when the connection is gone. */
export function streamed(client: Client, target: SshTarget, command: string, flow: Flow, dead: () => void): Promise<Streamed> {
  return new Promise((resolve, reject) => {
    let channel: ClientChannel | undefined;
    let isSettled = false;
    const settle = (finish: () => void) => {
      isSettled = true;
      client.off("close", lost);
      flow.signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const lost = (error?: Error) => {
      dead();
      settle(() => reject(commandLost(target, error?.message ?? "the connection was closed", error)));
    };
    const cutOff = (why: unknown) => {
      channel?.close();
      settle(() => reject(why));
    };
    const onAbort = () => cutOff(flow.signal?.reason);
    client.once("close", lost);
    flow.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      client.exec(command, (error, opened) => {
        if (error && isRefusedChannel(error)) return settle(() => reject(sessionRefused(target, error.message, error)));
        if (error) return lost(error);
        channel = opened;
        ended(opened, flow.take, cutOff).then((answer) => {
          if (isSettled) return;
          if (answer) settle(() => resolve(answer));
          else lost();
        });
        if (isSettled) opened.close();
        else pour(opened, flow.source).catch(cutOff);
      });
    } catch (error) {
      lost(error as Error);
    }
  });
}

/** Sends the source's parts with backpressure. Stops when the command has ended before the source. */
async function pour(channel: ClientChannel, source: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  let isOver = false;
  let wake = () => {};
  channel.on("close", () => {
    isOver = true;
    wake();
  });
  channel.on("drain", () => wake());
  for await (const part of source ?? []) {
    if (isOver) return;
    if (channel.write(part)) continue;
    await new Promise<void>((taken) => {
      wake = taken;
      if (isOver) taken();
    });
  }
  if (!isOver) channel.end();
}

/** Undefined when the channel closed without an exit code: the host went away, or a signal ended the command. */
function ended(channel: ClientChannel, take: Flow["take"], cutOff: (why: unknown) => void): Promise<Streamed | undefined> {
  let stderr = Buffer.alloc(0);
  channel.on("data", (part: Buffer) => {
    try {
      take?.(part);
    } catch (error) {
      cutOff(error);
    }
  });
  channel.stderr.on("data", (part: Buffer) => {
    stderr = Buffer.concat([stderr, part]).subarray(-MOST_STDERR);
  });
  channel.on("error", () => {});
  return new Promise((done) => {
    let code: number | undefined;
    channel.on("exit", (given: number | null) => {
      code = given ?? undefined;
    });
    channel.on("close", () => done(code === undefined ? undefined : { code, stderr: stderr.toString("utf8") }));
  });
}
