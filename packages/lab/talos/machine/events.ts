import type { Lab } from "../../kernel/kernel.ts";
import { newEventId } from "../identity.ts";
import type { Boot, MachineEvent } from "../state.ts";
import { stepsAt } from "./phases.ts";

/** Number of events and log lines that a node keeps. */
const KEPT = 500;

export function tell(lab: Lab, boot: Boot, what: MachineEvent["what"], actor = ""): void {
  boot.events.push({ id: newEventId(lab), at: lab.now(), actor, what });
  if (boot.events.length > KEPT) boot.events.splice(0, boot.events.length - KEPT);
}

export function tellSequence(lab: Lab, boot: Boot, sequence: string, action: "START" | "STOP", actor = "", force = false): void {
  const steps = stepsAt(sequence, action, force);
  const told = { kind: "sequence", sequence, action } as const;
  for (const what of action === "START" ? [told, ...steps] : [...steps, told]) tell(lab, boot, what, actor);
}

/** Adds a line to the kernel log, which Talos writes to as well. */
export function logLine(lab: Lab, boot: Boot, text: string): void {
  const seconds = ((lab.now() - boot.since) / 1000).toFixed(6).padStart(12);
  boot.kernelLog.push(`user: warning: [${seconds}]: [talos] ${text}`);
  if (boot.kernelLog.length > KEPT) boot.kernelLog.shift();
}
