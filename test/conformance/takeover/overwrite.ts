import type { Socket } from "node:net";
import { download } from "@talosmith/lib/http/download.ts";
import type { SshTarget } from "@talosmith/lib/ssh/ssh.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Write } from "../../../src/engine/step.ts";
import { openShell } from "../../../src/takeover/open-shell.ts";
import type { Shell } from "../../../src/takeover/shell.ts";
import { type TakenOver, takeOver } from "../../../src/takeover/take-over.ts";
import { RESTART } from "../../../src/takeover/write/commands.ts";
import { DISK_BYTES } from "./disk.ts";

export interface Overwriting {
  target: SshTarget;
  disk: string;
  /** Of the images. */
  url: string;
  /** Every connection to the server. */
  connected?(socket: Socket): void;
}

/** One run of the driver, up to the restart, which is left out: the server is this very machine. */
export async function overwrite({ target, disk, url, connected }: Overwriting): Promise<TakenOver> {
  const world = worldOf(target.port, connected ?? (() => {}));
  const shell = neverRestarting(await openShell(world, target));
  const signal = AbortSignal.timeout(600_000);
  const seed = { is: "config", text: `machine:\n  type: worker\n# ${"x".repeat(5000)}\n` } as const;
  const open = async () => downloaded(world, `${url}/gz`, signal);
  const image = { url: (packing: string) => `${url}/${packing}`, open, bytes: DISK_BYTES };
  const plan = { node: "n-1", disk: { path: disk, bytes: DISK_BYTES }, image, seed, keep: () => {}, restarting: () => {} };
  try {
    return await takeOver(shell, plan, writing(world, signal));
  } finally {
    shell.close();
  }
}

function worldOf(port: number, connected: (socket: Socket) => void): World {
  const real = realWorld();
  const dial: World["net"]["dial"] = async (to, signal) => {
    const socket = await real.net.dial(to, signal);
    if (to.port === port) connected(socket);
    return socket;
  };
  // No chance, so that two runs can be compared to the last byte.
  const random = { bytes: (count: number) => new Uint8Array(count).fill(7) };
  return { ...real, net: { ...real.net, dial }, random };
}

function neverRestarting(shell: Shell): Shell {
  return {
    ...shell,
    run: async (command, options) => (command === RESTART ? { code: 0, stdout: "", stderr: "" } : shell.run(command, options)),
  };
}

async function* downloaded(world: World, url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const waiting: Uint8Array[] = [];
  let wake = () => {};
  let isOver = false;
  const take = (part: Uint8Array) => {
    waiting.push(part);
    wake();
  };
  const whole = download(world, { url, trust: { by: "system" }, take, signal, meter: { calls: 0, bytes: 0 } }).finally(() => {
    isOver = true;
    wake();
  });
  whole.catch(() => {});
  while (!isOver || waiting.length > 0) {
    const part = waiting.shift();
    if (part) yield part;
    else
      await new Promise<void>((came) => {
        wake = came;
      });
  }
  await whole;
}

function writing(world: World, signal: AbortSignal): Write {
  const never = () => {
    throw new Error("not needed");
  };
  return {
    world,
    signal,
    say: () => {},
    failed: () => undefined,
    get: never,
    shared: (_, load) => load(),
    until: never,
    mutate: (_, call) => call(),
  };
}
