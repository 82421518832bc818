import { execFileSync, spawn } from "node:child_process";
import { resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ChildOptions {
  env?: Record<string, string>;
  /** Arguments of Node itself. */
  node?: readonly string[];
  cwd?: string;
  input?: string;
  /** The child creates all its keys itself, which takes seconds. */
  ownKeys?: boolean;
  /** Its output is a terminal with this many columns. */
  columns?: number;
  /** Interrupts the child, as Ctrl-C does, once its output looks like this. */
  interruptAfter?: RegExp;
}

const TERMINAL = ["--import", `${ROOT}/test/support/terminal.mjs`];
const SAME_RSA_KEY = ["--import", `${ROOT}/test/support/same-rsa-key.mjs`];

/** Runs ./talosmith as a user does, as a child process that cannot outlive its test. */
export function talosmith(args: readonly string[], options: ChildOptions = {}): Promise<Ended> {
  return new Promise((done, failed) => {
    const { columns } = options;
    const node = [...(options.ownKeys ? [] : SAME_RSA_KEY), ...(columns ? TERMINAL : []), ...(options.node ?? [])];
    const child = spawn(process.execPath, [...node, `${ROOT}/talosmith`, ...args], {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, NO_COLOR: "1", ...(columns && { TERM: "xterm", COLUMNS: String(columns) }), ...options.env },
      // Ends a hanging child.
      timeout: 540_000,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    let isInterrupted = false;
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      stdout += part;
      if (isInterrupted || !options.interruptAfter?.test(stdout)) return;
      isInterrupted = child.kill("SIGINT");
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
    child.on("error", failed);
    child.on("close", (exitCode, signal) => done({ exitCode, signal, stdout, stderr }));
    child.stdin.end(options.input ?? "");
  });
}

/** Whether this computer has a program, for tests that are skipped without it. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
