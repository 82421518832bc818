import { join } from "node:path";
import { createInterface } from "node:readline";
import { spawnIn } from "./network.js";

const TALOSMITH = join(import.meta.dirname, "../../../talosmith");
/** No kubelet runs here (see README.md), so this never comes. */
const NEVER = "bootstrap/kubernetes-api";
const HANG_MS = 20 * 60_000;

/** Runs a program in the network to its end: its exit code, what it printed, and all it said. */
export function runIn(network, command) {
  return new Promise((done, failed) => {
    const child = spawnIn(network, command, { stdio: ["ignore", "pipe", "pipe"], timeout: HANG_MS, killSignal: "SIGKILL" });
    let stdout = "";
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        if (stream === child.stdout) stdout += text;
        said += text;
      });
    child.on("error", failed).on("close", (code) => done({ code, stdout, said }));
  });
}

export const talosmith = (network, ...args) => runIn(network, [process.execPath, TALOSMITH, ...args]);

/**
 * `up` until everything is done that can be: only the Kubernetes API is still waited for, which is ended as a person would, with Ctrl-C. `isOver`: whether
 * what happened is enough already.
 */
export function up(network, environment, { isOver = () => false } = {}) {
  const open = new Set();
  return followed(network, ["up", environment, "--until", "bootstrap", "--yes"], (events) => {
    const event = events.at(-1);
    if (event.type === "steps") for (const { id } of event.steps) open.add(id);
    if (event.type === "step.finished") open.delete(event.step);
    return (open.size === 1 && open.has(NEVER)) || isOver(events);
  });
}

/** Runs a command of ours to its end, or interrupts it as soon as its events are enough: these, and the error of each step that failed. */
export async function followed(network, args, areEnough = () => false) {
  const command = [process.execPath, TALOSMITH, ...args, "--json"];
  const child = spawnIn(network, command, { stdio: ["ignore", "pipe", "pipe"], timeout: HANG_MS, killSignal: "SIGKILL" });
  const ended = new Promise((done, failed) => child.on("error", failed).on("close", done));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const events = [];
  let stopped = false;
  for await (const line of createInterface(child.stdout)) {
    events.push(JSON.parse(line));
    if (!stopped && areEnough(events)) stopped = child.kill("SIGINT");
  }
  const code = await ended;
  const errors = events.flatMap((event) => (event.error ? [event.error] : []));
  return { code, events, errors, stderr };
}
