import { userError } from "@talosmith/lib/errors.ts";
import * as z from "zod";
import type { FaultRule } from "./kernel.ts";

/** An HTTP status; for gRPC services one of its codes; for services that run commands an exit code. */
const refusal = z.union(
  [z.int().min(400).max(599), z.int().min(1).max(255)],
  "must be an HTTP status, a gRPC code or an exit code",
);

const fault = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("delay"), ms: z.number().nonnegative() }),
  // Not strict: a documented refusal may be passed unchanged, with its `when` text.
  z.object({ kind: z.literal("refuse"), status: refusal, message: z.string() }),
  z.strictObject({ kind: z.literal("cut-before") }),
  z.strictObject({ kind: z.literal("cut-after") }),
  z.strictObject({ kind: z.literal("drip"), bytes: z.int().positive() }),
  z.strictObject({ kind: z.literal("task-error"), message: z.string() }),
]);

const rule = z
  .strictObject({
    service: z.string().exactOptional(),
    site: z.string().exactOptional(),
    resource: z.string().exactOptional(),
    command: z.string().exactOptional(),
    occurrence: z.int().positive().exactOptional(),
    probability: z.number().min(0).max(1).exactOptional(),
    times: z.int().positive().exactOptional(),
    fault,
  })
  .refine((it) => it.occurrence === undefined || it.probability === undefined, "has both occurrence and probability: choose one");

export const faultRules = z.array(rule);

/** Validates rules from outside the process. */
export function checkFaultRules(rules: unknown): FaultRule[] {
  const checked = faultRules.safeParse(rules);
  if (checked.success) return checked.data;
  throw userError("LAB_FAULT_RULES", {
    message: "Unable to set the lab's faults",
    detail: checked.error.issues.map((issue) => `${issue.path.join(".") || "rules"}: ${issue.message}`).join("\n"),
    hint: 'pass a list such as [{"site": "POST *", "probability": 0.1, "fault": {"kind": "cut-after"}}]',
  });
}
