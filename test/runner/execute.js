import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** Stops a hang; no part comes near it, on a busy machine either. */
const HANG_MS = 60 * 60_000;
const TICKS_PER_SECOND = 100;

/** Processor seconds used by child processes that have ended; undefined where the system has no /proc. */
function childSeconds() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The program's name is in parentheses and may contain spaces; cutime and cstime are fields 16 and 17.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** Runs a Node program to its end, with its output on our own. Returns exit code, seconds and processor seconds. */
export async function execute(args, { env = {}, cwd, hangMs = HANG_MS } = {}) {
  const [started, cpuBefore] = [performance.now(), childSeconds()];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env }, cwd });
  const timer = setTimeout(() => child.kill("SIGKILL"), hangMs);
  const stop = () => {
    child.kill();
    process.exit(1);
  };
  process.once("SIGTERM", stop);
  const code = await new Promise((done, failed) => child.on("error", failed).on("close", (exit) => done(exit ?? 1)));
  clearTimeout(timer);
  process.off("SIGTERM", stop);
  const cpu = childSeconds();
  return {
    code,
    seconds: (performance.now() - started) / 1000,
    cpu: cpu === undefined || cpuBefore === undefined ? undefined : cpu - cpuBefore,
  };
}
