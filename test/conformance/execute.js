import { spawn } from "node:child_process";

/** Stops a hang. The first build of an oracle on a busy machine takes minutes. */
const HANG_MS = 30 * 60_000;

/** Runs a program to its end and gives what it printed; it fails with all it said when the program does. */
export function execute(command, args, { input = "", ...options } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { timeout: HANG_MS, killSignal: "SIGKILL", ...options });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.on("error", failed);
    child.on("close", (code, signal) => {
      if (code === 0) done(stdout);
      else failed(new Error(`${command} ended with ${signal ?? code}\n${stdout}${stderr}`.trimEnd()));
    });
    // A program that ends early has no use for the rest of its input.
    child.stdin.on("error", () => {}).end(input);
  });
}

/** A program that goes on: `says` waits until it has printed something, `end` ends it. */
export function spoken(command, args, options = {}) {
  const child = spawn(command, args, { timeout: HANG_MS, killSignal: "SIGKILL", stdio: ["ignore", "pipe", "pipe"], ...options });
  let said = "";
  const ended = new Promise((done) => child.once("close", done));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      said += text;
      child.emit("said");
    });
  }
  return {
    says: (pattern) =>
      new Promise((done, failed) => {
        const look = () => {
          const found = pattern.exec(said);
          if (!found) return;
          child.off("said", look);
          done(found);
        };
        child.on("said", look);
        look();
        ended.then(() => failed(new Error(`${command} ${args.join(" ")} ended before it said ${pattern}\n${said}`)));
        child.once("error", failed);
      }),
    end: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** What `command --version` says, or undefined when there is no such program. */
export function version(command, ...args) {
  return execute(command, args).then(
    (text) => text.trim(),
    () => undefined,
  );
}
