import type { LabBreakage } from "@talosmith/lab/host/control.ts";
import type { Fault, FaultRule, Outage } from "@talosmith/lab/kernel/kernel.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { FactsResult, TableResult } from "../engine/result.ts";
import { KINDS } from "./lab-fault-rule.ts";

/** Lists the faults and outages that are active. */
export function brokenTable({ faults, outages }: LabBreakage, folder: string): TableResult {
  const all = `what can be broken, with arguments of  ${ownCommand("lab fault", folder)}:`;
  return {
    kind: "table",
    name: "broken",
    columns: [
      { key: "what", title: "WHAT" },
      { key: "where", title: "WHERE" },
      { key: "when", title: "WHEN" },
      { key: "fired", title: "HAPPENED", align: "right" },
    ],
    rows: [
      ...faults.map(({ rule, fired }) => ({
        what: faultWords(rule.fault),
        where: whereWords(rule),
        when: whenWords(rule),
        fired,
      })),
      ...outages.map((outage) => ({ what: "down", where: placeWords(outage), when: outage.how, fired: null })),
    ],
    empty: "Nothing is broken on purpose.",
    footer:
      faults.length + outages.length === 0 ? [all] : [`repair everything:  ${ownCommand("lab fault", folder, "clear")}`, "", all],
  };
}

/** Lists everything that can be broken, as it is typed. */
export function breakableTable({ strikes, refusals }: LabBreakage, service: string | undefined): TableResult {
  const needs: Partial<Record<Fault["kind"], string>> = {
    delay: " --ms N",
    refuse: " --status N",
    "task-error": " --message TEXT",
  };
  const usage = (args: readonly string[]) =>
    args.map((arg) => (arg.endsWith("?") ? ` [${arg.slice(0, -1)}]` : ` <${arg}>`)).join("");
  return {
    kind: "table",
    name: "breakable",
    columns: [
      { key: "type", title: "WHAT" },
      { key: "about", title: "ABOUT" },
    ],
    rows: [
      ...Object.entries(KINDS).map(([kind, about]) => ({ type: `${kind}${needs[kind as Fault["kind"]] ?? ""}`, about })),
      { type: "down", about: "addresses cannot be reached, and connections to them are cut" },
      ...Object.entries(strikes).map(([name, { title, args }]) => ({ type: `${name}${usage(args)}`, about: `once: ${title}` })),
      ...Object.entries(refusals)
        .filter(([name]) => service === undefined || name === service)
        .flatMap(([name, known]) =>
          Object.entries(known).map(([error, { status, message, when }]) => ({
            type: `refuse --service ${name} --error ${error}`,
            about: `${when}: ${status} ${message.split("\n")[0]}`,
          })),
        ),
    ],
    empty: "",
  };
}

export function ruleFacts(folder: string, rule: FaultRule): FactsResult {
  return {
    kind: "facts",
    name: "fault",
    title: "broken on purpose from now on",
    facts: [
      { key: "what", label: "what", value: faultWords(rule.fault) },
      { key: "where", label: "where", value: whereWords(rule) },
      { key: "when", label: "when", value: whenWords(rule) },
      { key: "rule", label: "rule", value: { ...rule } as unknown as Json },
    ],
    next: [ownCommand("lab fault", folder), ownCommand("lab fault", folder, "clear")],
  };
}

export function outageFacts(folder: string, outage: Outage): FactsResult {
  return {
    kind: "facts",
    name: "outage",
    title: "cannot be reached from now on",
    facts: [
      { key: "where", label: "where", value: placeWords(outage) },
      { key: "how", label: "connections", value: outage.how === "silent" ? "get no answer" : "are refused" },
    ],
    next: [ownCommand("lab fault", folder), ownCommand("lab fault", folder, "clear")],
  };
}

function faultWords(fault: Fault): string {
  if (fault.kind === "delay") return `delay ${fault.ms} ms`;
  if (fault.kind === "refuse") return `refuse ${fault.status} ${fault.message.split("\n")[0]}`;
  if (fault.kind === "drip") return `drip ${fault.bytes} bytes`;
  return fault.kind === "task-error" ? `task-error ${fault.message}` : fault.kind;
}

function whereWords({ service, site, resource, command }: FaultRule): string {
  const about = resource === undefined ? [] : [`about ${resource}`];
  const running = command === undefined ? [] : [`running ${command}`];
  return [service ?? "every service", site ?? "every call", ...about, ...running].join(", ");
}

function whenWords({ occurrence, probability, times }: FaultRule): string {
  const which = occurrence !== undefined ? `call ${occurrence}` : probability !== undefined ? `${probability} of them` : "each";
  return times === undefined ? which : `${which}, at most ${times === 1 ? "once" : `${times} times`}`;
}

function placeWords({ service, host }: Outage): string {
  return [service ?? "every service", host === undefined ? "all addresses" : `at ${host}`].join(", ");
}
