import { invokeShell } from "../invoke.ts";
import type { Process } from "../process.ts";
import { readAll } from "../streams.ts";
import { type Program, print } from "./program.ts";

const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };
/** As good as for ever. */
const TEN_YEARS = 10 * 365 * 86_400;

function seconds(text: string): number {
  const [, number = "0", unit = ""] = /^([\d.]+)([smhd]?)$/.exec(text) ?? [];
  return text === "infinity" ? TEN_YEARS : Number(number) * (UNITS[unit] ?? 1);
}

const sleep: Program = async (started) => {
  for (const arg of started.args) await started.sleep(seconds(arg) * 1000);
  return 0;
};

const env: Program = (started) => {
  const first = started.args.findIndex((arg) => !/^\w+=/.test(arg));
  const [given, words] = first < 0 ? [started.args, []] : [started.args.slice(0, first), started.args.slice(first)];
  const pairs = given.map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)] as const);
  const environment = new Map([...started.environment, ...pairs]);
  if (words.length > 0) return started.exec(words, { environment });
  return print(started, [...environment].map(([name, value]) => `${name}=${value}\n`).join(""));
};

const xargs: Program = async (started) => {
  const words = (await readAll(started.stdin)).toString("utf8").split(/\s+/);
  return started.exec([...started.args, ...words.filter((word) => word !== "")]);
};

async function timeout(started: Process): Promise<number> {
  const [limit = "0", ...words] = withoutOptions(started.args, ["-s", "-k"]);
  const stop = new AbortController();
  const end = () => stop.abort();
  started.alive.addEventListener("abort", end, { once: true });
  let late = false;
  const clock = new AbortController();
  started
    .sleep(seconds(limit) * 1000, clock.signal)
    .then(() => {
      late = true;
      stop.abort();
    })
    .catch(() => {});
  try {
    return await started.exec(words, { alive: stop.signal });
  } catch (error) {
    if (late) return 124;
    throw error;
  } finally {
    clock.abort();
    started.alive.removeEventListener("abort", end);
  }
}

export function withoutOptions(args: readonly string[], valued: readonly string[]): string[] {
  const rest = [...args];
  while (rest[0]?.startsWith("-")) if (valued.includes(rest.shift() ?? "")) rest.shift();
  return rest;
}

const which: Program = async (started) => {
  let code = 0;
  for (const name of started.args) code = (await started.script('command -v "$1"', { positional: [name] })) || code;
  return code;
};

/** Shells, and programs that wait or start another one. */
export const STARTING: Readonly<Record<string, Program>> = {
  ...{ sh: invokeShell, bash: invokeShell, dash: invokeShell },
  ...{ env, sleep, timeout, which, xargs },
  nohup: (started) => started.exec(started.args),
  setsid: (started) => started.exec(started.args.filter((arg, at) => at > 0 || !arg.startsWith("-"))),
  nice: (started) => started.exec(withoutOptions(started.args, ["-n"])),
  ionice: (started) => started.exec(withoutOptions(started.args, ["-c", "-n"])),
};
