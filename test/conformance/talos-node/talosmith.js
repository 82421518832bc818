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
 * `up` until everything is done that can be: only the Kubernetes API is still waited for, which is ended as a person would, with Ctrl-C. Its events, and the
 * error of each step that failed. `isOver`: whether what happened is enough already.
 */
export async function up(network, environment, { isOver = () => false } = {}) {
  const command = [process.execPath, TALOSMITH, "up", environment, "--until", "bootstrap", "--yes", "--json"];
  const child = spawnIn(network, command, { stdio: ["ignore", "pipe", "pipe"], timeout: HANG_MS, killSignal: "SIGKILL" });
  const ended = new Promise((done, failed) => child.on("error", failed).on("close", done));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const events = [];
  const open = new Set();
  let stopped = false;
  for await (const line of createInterface(child.stdout)) {
    const event = JSON.parse(line);
    events.push(event);
    if (event.type === "steps") for (const { id } of event.steps) open.add(id);
    if (event.type === "step.finished") open.delete(event.step);
    const onlyKubernetes = open.size === 1 && open.has(NEVER);
    if (!stopped && (onlyKubernetes || isOver(events))) stopped = child.kill("SIGINT");
  }
  const code = await ended;
  const errors = events.flatMap((event) => (event.error ? [event.error] : []));
  return { code, events, errors, stderr };
}
