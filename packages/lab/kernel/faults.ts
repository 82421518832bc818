import { chance } from "./chance.ts";
import type { Call, Fault, FaultCount, FaultRule } from "./kernel.ts";

/** The fault rules, and the calls counted so far. */
export interface Faults {
  rules: FaultCount[];
  /** By (service, site, resource): makes chance replay whatever the order of other calls is. */
  occurrences: Record<string, number>;
}

export function noFaults(): Faults {
  return { rules: [], occurrences: {} };
}

export function setRules(faults: Faults, rules: readonly FaultRule[]): void {
  faults.rules = [];
  addRules(faults, rules);
}

export function addRules(faults: Faults, rules: readonly FaultRule[]): void {
  faults.rules.push(...rules.map((rule) => ({ rule: structuredClone(rule), matched: 0, fired: 0 })));
}

/** `*` matches any text. */
export function fits(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined || pattern === text) return true;
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  // The earliest match of each part leaves the most text for the others; a regular expression would try all matches, which takes forever on a long
  // command.
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function matches(rule: FaultRule, call: Call): boolean {
  return (
    fits(rule.service, call.service) &&
    fits(rule.site, call.site) &&
    fits(rule.resource, call.resource) &&
    fits(rule.command, call.command ?? "")
  );
}

/** Counts the call, also in every rule it matches, and returns the fault of the first rule that fires. */
export function meetFault(faults: Faults, seed: string, call: Call): Fault | undefined {
  const key = JSON.stringify([call.service, call.site, call.resource]);
  const occurrence = (faults.occurrences[key] ?? 0) + 1;
  faults.occurrences[key] = occurrence;
  const draw = chance(seed, call.service, call.site, call.resource, occurrence);
  // Rules share one random number, each with its own band: if all bands started at 0, the first rule would hide the others.
  let band = 0;
  let met: Fault | undefined;
  for (const entry of faults.rules) {
    if (!matches(entry.rule, call)) continue;
    entry.matched++;
    if (entry.fired >= (entry.rule.times ?? Infinity)) continue;
    let fires: boolean;
    if (entry.rule.occurrence !== undefined) {
      fires = entry.matched === entry.rule.occurrence;
    } else {
      fires = draw >= band && draw < band + (entry.rule.probability ?? 1);
      band += entry.rule.probability ?? 1;
    }
    if (!fires || met) continue;
    entry.fired++;
    met = entry.rule.fault;
  }
  return met;
}
