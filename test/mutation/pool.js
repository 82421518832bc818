import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A tester in a process group of its own, so that it can be ended together with the processes in which its tests run. */
class Tester {
  #child;

  constructor(plan) {
    this.plan = plan;
  }

  async #start() {
    const child = fork(join(import.meta.dirname, "tester.js"), [this.plan], {
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      if (said.length < 10_000) said += text;
    });
    const ready = await answer(child);
    if (ready !== "ready") throw new Error(`Unable to start vitest for the mutants:\n${said}`);
  }

  /** The outcome of the tests, or "too slow". A tester that was too slow is ended, and a new one does what comes next. */
  async run(work, limitMs) {
    if (!this.#child) await this.#start();
    this.#child.send(work);
    let timer;
    const limit = new Promise((done) => {
      timer = setTimeout(() => done("too slow"), limitMs);
    });
    const outcome = await Promise.race([answer(this.#child), limit]);
    clearTimeout(timer);
    if (outcome === "too slow" || outcome === "ended") await this.stop();
    return outcome;
  }

  /** Waits for the end, so that the time it used counts as ours. */
  async stop() {
    const child = this.#child;
    this.#child = undefined;
    if (!child) return;
    const ended = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, "exit");
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // Nothing of it is left.
    }
    await ended;
  }
}

const answer = (child) =>
  new Promise((done) => {
    const leave = (value) => {
      child.off("message", leave).off("exit", ended);
      done(value);
    };
    const ended = () => leave("ended");
    child.on("message", leave).on("exit", ended);
  });

/** Runs all works on `size` testers side by side. `plan`: the file that tells a tester what to plant. `done` gets a work, its outcome and its time. */
export async function runAll(works, { size, plan, limitMs, done }) {
  const testers = Array.from({ length: size }, () => new Tester(plan));
  const stop = () => Promise.all(testers.map((tester) => tester.stop()));
  const waiting = [...works];
  const interrupted = async () => {
    // Or a tester that was ended would be started again for what comes next.
    waiting.length = 0;
    await stop();
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupted);
  try {
    await Promise.all(
      testers.map(async (tester) => {
        for (let work = waiting.shift(); work; work = waiting.shift()) {
          const begun = performance.now();
          done(work, await tester.run(work.task, limitMs(work)), performance.now() - begun);
        }
      }),
    );
  } finally {
    await stop();
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupted);
  }
}
