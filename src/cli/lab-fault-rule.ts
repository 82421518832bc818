import type { LabBreakage } from "@talosmith/lab/host/control.ts";
import type { Fault, FaultRule, KnownRefusal, Outage } from "@talosmith/lab/kernel/kernel.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import ipaddr from "ipaddr.js";
import type { FaultFlags } from "./lab-fault-flags.ts";

type Kind = Fault["kind"];
type Flag = Exclude<keyof FaultFlags, "json" | "color" | "wire">;

const WHICH_CALL: readonly Flag[] = ["service", "call", "resource", "command", "nth", "probability", "times"];

/** The flags of each kind of fault. */
const TAKES: Readonly<Record<Kind | "down" | "clear", readonly Flag[]>> = {
  delay: [...WHICH_CALL, "ms"],
  refuse: [...WHICH_CALL, "status", "message", "error"],
  "cut-before": WHICH_CALL,
  "cut-after": WHICH_CALL,
  drip: [...WHICH_CALL, "bytes"],
  "task-error": [...WHICH_CALL, "message"],
  down: ["service", "host", "silent"],
  clear: [],
};

export const KINDS: Readonly<Record<Kind, string>> = {
  delay: "calls are answered late",
  refuse: "calls are refused and have no effect",
  "cut-before": "the connection breaks before the call takes effect",
  "cut-after": "the call takes effect, and its answer is lost",
  drip: "the answer comes in small pieces",
  "task-error": "the call is accepted, and the work it starts fails",
};

export function isKind(what: string): what is Kind {
  return Object.hasOwn(KINDS, what);
}

/** Refuses flags that a kind of fault does not have, and arguments, which only events have. */
export function refuseNeedless(what: string, flags: FaultFlags, args: readonly string[]): void {
  const takes: readonly Flag[] = Object.hasOwn(TAKES, what) ? TAKES[what as keyof typeof TAKES] : [];
  const given = (Object.keys(flags) as Flag[]).filter((flag) => !["json", "color", "wire"].includes(flag));
  const needless = given.find((flag) => !takes.includes(flag));
  const options = takes.length === 0 ? "no options" : `the options ${takes.map((flag) => `--${flag}`).join(", ")}`;
  if (needless !== undefined) throw usage(`${what} does not take --${needless}`, `it takes ${options}`);
  if (Object.hasOwn(TAKES, what) && args.length > 0)
    throw usage(`${what} does not take "${args.join(" ")}"`, `it takes ${options}`);
}

export function ruleOf(kind: Kind, flags: FaultFlags, lab: LabBreakage): FaultRule {
  if (flags.nth !== undefined && flags.probability !== undefined)
    throw usage("--nth and --probability exclude each other", "give one of them: which call, or how many of the calls");
  refuseUnknownService(flags.service, lab.services);
  const { service, fault } = faultOf(kind, flags, lab);
  return {
    ...(service !== undefined && { service }),
    ...(flags.call !== undefined && { site: flags.call }),
    ...(flags.resource !== undefined && { resource: flags.resource }),
    ...(flags.command !== undefined && { command: flags.command }),
    ...(flags.nth !== undefined && { occurrence: flags.nth }),
    ...(flags.probability !== undefined && { probability: flags.probability }),
    ...(flags.times !== undefined && { times: flags.times }),
    fault,
  };
}

function faultOf(kind: Kind, flags: FaultFlags, lab: LabBreakage): { service: string | undefined; fault: Fault } {
  const { service } = flags;
  if (kind === "delay") {
    if (flags.ms === undefined)
      throw usage("delay needs --ms", "give the time in milliseconds of the lab's clock, such as --ms 40000");
    return { service, fault: { kind, ms: flags.ms } };
  }
  if (kind === "drip") return { service, fault: { kind, bytes: flags.bytes ?? 1 } };
  if (kind === "task-error") {
    if (flags.message === undefined) throw usage("task-error needs --message", "give the error that the task ends with");
    return { service, fault: { kind, message: flags.message } };
  }
  return kind === "refuse" ? refusalOf(flags, lab) : { service, fault: { kind } };
}

function refusalOf(flags: FaultFlags, lab: LabBreakage): { service: string | undefined; fault: Fault } {
  const { service, error, status, message } = flags;
  if (error === undefined) {
    if (status === undefined)
      throw usage("refuse needs --error or --status", `list the errors with:  ${ownCommand("lab fault", typedEnvironment())}`);
    return { service, fault: { kind: "refuse", status, message: message ?? "broken on purpose" } };
  }
  if (status !== undefined) throw usage("--error and --status exclude each other", "an error has its own status");
  const [name, known] = knownRefusal(error, service, lab);
  return { service: name, fault: { kind: "refuse", status: known.status, message: message ?? known.message } };
}

function knownRefusal(error: string, service: string | undefined, { refusals }: LabBreakage): [string, KnownRefusal] {
  const found = Object.entries(refusals).flatMap(([name, known]): [string, KnownRefusal][] => {
    const one = Object.hasOwn(known, error) ? known[error] : undefined;
    return one && (service === undefined || service === name) ? [[name, one]] : [];
  });
  const [only] = found;
  if (only && found.length === 1) return only;
  if (only) throw usage(`${found.map(([name]) => name).join(" and ")} know the error ${error}`, "choose one with --service");
  const names = service === undefined ? [] : Object.keys(refusals[service] ?? {});
  throw usage(
    `${service ?? "no service of this lab"} ${service === undefined ? "knows" : "does not know"} the error ${error}`,
    names.length > 0
      ? `choose one of ${names.join(", ")}`
      : `list the errors with:  ${ownCommand("lab fault", typedEnvironment())}`,
  );
}

export function outageOf(flags: FaultFlags, services: readonly string[]): Outage {
  const { service, host, silent } = flags;
  refuseUnknownService(service, services);
  if (host !== undefined && !isPlace(host))
    throw usage(`"${host}" is not an address`, "give an address, or its last number (1 to 254)");
  return {
    ...(service !== undefined && { service }),
    ...(host !== undefined && { host: /^\d{1,3}$/.test(host) ? Number(host) : host }),
    how: silent ? "silent" : "refused",
  };
}

function isPlace(host: string): boolean {
  return /^\d{1,3}$/.test(host) ? Number(host) >= 1 && Number(host) <= 254 : ipaddr.isValid(host);
}

function refuseUnknownService(service: string | undefined, services: readonly string[]): void {
  if (service === undefined || service.includes("*") || services.includes(service)) return;
  throw usage(`there is no service ${service} in this lab`, `choose one of ${services.join(", ")}`);
}

function usage(why: string, hint: string) {
  return userError("LAB_FAULT", { message: `Unable to add a fault: ${why}`, detail: "Nothing was changed.", hint });
}
