import { setMaxListeners } from "node:events";
import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { typedEnvironment } from "@talosmith/lib/own-command.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { EventBus } from "../engine/bus.ts";
import type { Session } from "../engine/context.ts";
import { plainView } from "../views/plain-view.ts";
import { type ReadingLine, readingLine } from "../views/reading-line.ts";
import { processTerminal } from "../views/terminal.ts";
import { chooseView } from "../views/view.ts";
import type { CommonFlags } from "./flags.ts";
import { labOf } from "./lab-folder.ts";

export interface CommandSession extends Session {
  redactor: Redactor;
}

export const INTERRUPTED = 130;
/** Ctrl-C, `kill`, and a terminal or an SSH connection that is closed. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface SessionFlags extends CommonFlags {
  /** The interval of a look that is repeated until the user interrupts it, which is its normal end. */
  watchMs?: number;
}

/** Runs a command's work with everything around it: the view, Ctrl-C, and the one place where an error is printed. */
export async function inSession(flags: SessionFlags, work: (session: CommandSession) => Promise<number>): Promise<void> {
  const world = realWorld();
  const redactor = new Redactor();
  const bus = new EventBus(world.clock, redactor);
  const out = processTerminal("stdout", world.env);
  const view = chooseView(out, world.clock, {
    ...(flags.json && { json: true }),
    ...(flags.color === false && { colour: false }),
    ...(flags.verbose && { verbose: true }),
    ...(flags.watchMs !== undefined && { watchMs: flags.watchMs }),
  });
  // On standard error, so that it is not in a pipe; where that is no terminal, there is no such line.
  const stderr = processTerminal("stderr", world.env);
  const reading = flags.json || !stderr.isTerminal ? undefined : readingLine(stderr, world.clock);
  // Errors stay visible when the output is piped into another program.
  const errors = flags.json || out.isTerminal ? view : plainView(stderr);
  bus.listen((event) => reading?.event(event));
  bus.listen((event) => (event.type === "error" ? errors : view).event(event));
  const stop = new AbortController();
  // Every wait of every step listens to it; hundreds of listeners are not a leak.
  setMaxListeners(0, stop.signal);
  const onSignal = (signal: NodeJS.Signals) => {
    // A closed terminal often sends SIGHUP twice.
    if (stop.signal.aborted && signal === "SIGHUP") return;
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    stop.abort(new Error("interrupted"));
    if (flags.watchMs !== undefined) return;
    bus.emit({
      type: "notice",
      level: "warn",
      message: "stopping: finishing what has begun, starting nothing new (interrupt again to quit at once)",
    });
  };
  // An error outside of any awaited call ends the command like every other error: without a stack and without secrets.
  const onStray = (error: unknown) => {
    bus.emit({ type: "error", error: asTalosmithError(error).report() });
    view.close();
    process.exit(1);
  };
  if (flags.watchMs !== undefined) out.gone?.addEventListener("abort", () => stop.abort(new Error("output closed")));
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  process.on("uncaughtException", onStray);
  process.on("unhandledRejection", onStray);
  try {
    const real = await besideLab(world, flags.wire);
    const wired = flags.wire === undefined ? real : await throughWire(real, flags.wire);
    process.exitCode = await work({
      world: reading ? countingConnections(wired, reading) : wired,
      bus,
      redactor,
      signal: stop.signal,
      mayMutate: () => {},
    });
  } catch (error) {
    process.exitCode = stop.signal.aborted ? INTERRUPTED : 1;
    if (!stop.signal.aborted) bus.emit({ type: "error", error: asTalosmithError(error).report() });
  } finally {
    reading?.close();
    view.close();
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    process.off("uncaughtException", onStray);
    process.off("unhandledRejection", onStray);
  }
}

/** A world that tells the line which servers the command is connected to. */
function countingConnections(world: World, { connection }: ReadingLine): World {
  const dial: World["net"]["dial"] = async (to, signal) => {
    // The connection below it counts already.
    if (to.over) return world.net.dial(to, signal);
    const ended = connection(`${to.host}:${to.port}`);
    try {
      return (await world.net.dial(to, signal)).once("close", ended);
    } catch (error) {
      ended();
      throw error;
    }
  };
  return { ...world, net: { ...world.net, dial } };
}

/** A world whose errors say when the lab that the command uses has ended. */
async function besideLab(world: World, wire: string | undefined): Promise<World> {
  const folder = labOf(world, typedEnvironment(), wire);
  if (folder === undefined) return world;
  const { worldWithLab } = await import("./lab-gone.ts");
  return worldWithLab(world, folder);
}

async function throughWire(world: World, file: string): Promise<World> {
  const { readWire } = await import("@talosmith/lib/world/wire-file.ts");
  const { wiredWorld } = await import("@talosmith/lib/world/wire.ts");
  return wiredWorld(world, readWire(world.files, file));
}
