import { messageOf, userError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import * as z from "zod";
import { canonicalJson } from "./canonical.ts";
import { faultRules } from "./fault-rules.ts";
import type { Faults } from "./faults.ts";
import type { Outage } from "./kernel.ts";
import { outageList } from "./outages.ts";
import type { Transitions } from "./transitions.ts";

const VERSION = 1;

/** The complete state of a lab. */
export interface LabState {
  now: number;
  seed: string;
  transitions: Transitions;
  faults: Faults;
  outages: Outage[];
  serials: Record<string, number>;
  services: Record<string, object>;
}

const shape = z.object({
  version: z.literal(VERSION),
  now: z.number(),
  seed: z.string(),
  transitions: z.object({
    nextOrder: z.int(),
    pending: z.array(z.object({ at: z.number(), order: z.int(), kind: z.string(), data: z.custom<Json>() })),
  }),
  faults: z.object({
    rules: z.array(z.object({ rule: faultRules.element, matched: z.int(), fired: z.int() })),
    occurrences: z.record(z.string(), z.int()),
  }),
  // Absent in snapshots of versions without outages.
  outages: outageList.default([]),
  serials: z.record(z.string(), z.int()),
  services: z.record(
    z.string(),
    z.custom<object>((state) => typeof state === "object" && state !== null),
  ),
});

export function writeSnapshot(state: LabState): string {
  return canonicalJson({ version: VERSION, ...state });
}

export function readSnapshot(text: string, services: readonly string[]): LabState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refused(`it is not JSON: ${messageOf(error)}`);
  }
  const read = shape.safeParse(value);
  if (!read.success) {
    throw refused(read.error.issues.map((issue) => `${issue.path.join(".") || "snapshot"}: ${issue.message}`).join("\n"));
  }
  const { version: _, ...state } = read.data;
  const found = Object.keys(state.services).sort().join(", ");
  const wanted = [...services].sort().join(", ");
  if (found !== wanted) throw refused(`it has the services ${found || "(none)"}, this lab has ${wanted || "(none)"}`);
  return state;
}

function refused(detail: string) {
  return userError("LAB_SNAPSHOT", {
    message: "Unable to restore the lab from this snapshot",
    detail,
    hint: "restore a snapshot that the same version of talosmith took from a lab with the same services",
  });
}
