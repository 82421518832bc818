import { internalError, userError } from "@talosmith/lib/errors.ts";
import { durationMs } from "./duration.ts";
import type { Lab, Service, Strike } from "./kernel.ts";

/** All strikes of a lab, by name. */
export function allStrikes(services: Iterable<Service>, forward: (ms: number) => void): ReadonlyMap<string, Strike> {
  const strikes = new Map<string, Strike>([["clock-forward", clockForward(forward)]]);
  for (const service of services) {
    for (const [name, strike] of Object.entries(service.strikes ?? {})) {
      if (strikes.has(name))
        throw internalError("LAB_SERVICES", { message: `Unable to have the strike ${name} twice in one lab` });
      strikes.set(name, strike);
    }
  }
  return strikes;
}

function clockForward(forward: (ms: number) => void): Strike {
  return {
    title: "the lab's time jumps ahead; all events due by then happen",
    args: ["duration"],
    run: (_, [duration = ""]) => forward(durationMs(duration)),
  };
}

/** Runs in a turn. */
export function runStrike(lab: Lab, strikes: ReadonlyMap<string, Strike>, name: string, args: readonly string[]): void {
  const strike = strikes.get(name);
  if (!strike) throw unknownStrike(name, strikes);
  const needed = strike.args.filter((arg) => !arg.endsWith("?")).length;
  if (args.length < needed || args.length > strike.args.length) {
    throw userError("LAB_STRIKE", {
      message: `Unable to run the strike ${name}: it takes ${strike.args.length === 0 ? "no arguments" : usage(strike)}`,
      detail: `given: ${args.length === 0 ? "none" : args.join(" ")}`,
      hint: `say: ${[name, usage(strike)].filter(Boolean).join(" ")}`,
    });
  }
  strike.run(lab, args);
}

function unknownStrike(name: string, strikes: ReadonlyMap<string, Strike>) {
  return userError("LAB_STRIKE", {
    message: `Unable to run the strike ${name}: this lab has no strike of that name`,
    detail: [...strikes]
      .map(([each, strike]) => `${[each, usage(strike)].filter(Boolean).join(" ")}: ${strike.title}`)
      .join("\n"),
    hint: "choose one of these",
  });
}

/** "<host> [seconds]" */
function usage({ args }: Pick<Strike, "args">): string {
  return args.map((arg) => (arg.endsWith("?") ? `[${arg.slice(0, -1)}]` : `<${arg}>`)).join(" ");
}
