import { Code, ConnectError } from "@connectrpc/connect";
import {
  type ApplyConfigurationRequest,
  ApplyConfigurationRequest_Mode as Mode,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import { readDocuments } from "../config/documents.ts";
import { configDifference, rebootReason } from "../config/immediate.ts";
import { machineConfig } from "../config/machine-config.ts";
import { ConfigRefused } from "../config/raw.ts";
import { validateDocuments } from "../config/validate.ts";
import { durations } from "../durations.ts";
import { applyFirst, applyNow, applyStaged, applyTried, applyWithReboot } from "../machine/apply.ts";
import type { Boot } from "../state.ts";
import { minorOf } from "../versions.ts";
import type { Called } from "./caller.ts";

interface Applied {
  warnings?: string[];
  mode?: Mode;
  modeDetails?: string;
}

/** Applies a config, with the differences between versions: docs/facts/talos.md#applying-a-config. */
export function apply(called: Called, request: ApplyConfigurationRequest): Applied {
  const { boot } = called;
  const inMaintenance = boot.config === undefined;
  const minor = minorOf(boot.system.version);
  if (inMaintenance && minor < 13) return applyToOldMaintenance(called, request);
  const text = Buffer.from(request.data).toString("utf8");
  if (boot.appliedForReboot)
    throw refusal(
      "configuration was already applied and node is rebooting, cannot apply more configuration changes until next reboot",
      Code.FailedPrecondition,
    );
  const refuse = (message: string) => refusal(message, Code.InvalidArgument);
  // A new config confirms an earlier tried one, even if it is refused itself.
  if (request.mode !== Mode.TRY) confirmTried(boot);
  const documents = parsed(text, boot, refuse, inMaintenance);
  if (minor >= 14 && !inMaintenance && request.mode === Mode.REBOOT)
    throw refusal("the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead", Code.Unimplemented);
  const warnings = validated(called, documents, refuse, boot.disk !== undefined);
  const mode = effectiveMode(boot, text, request.mode, minor);
  if (request.dryRun) {
    const difference = configDifference(boot.config ?? "", text);
    return {
      mode: mode.mode,
      modeDetails: `Dry run summary:\n${mode.details} (skipped in dry-run).\nConfig diff:\n\n${difference}`,
    };
  }
  const tryMs = request.tryModeTimeout
    ? Number(request.tryModeTimeout.seconds) * 1000 + request.tryModeTimeout.nanos / 1e6
    : durations.tryConfig;
  carryOut(called, mode.mode, text, tryMs);
  const tried = `\nThe config is applied in 'try' mode and will be automatically reverted back in ${goDuration(tryMs)}`;
  return { mode: mode.mode, warnings, modeDetails: mode.details + (mode.mode === Mode.TRY ? tried : "") + mode.because };
}

/** Applies a config as 1.12's own server for maintenance mode does. */
function applyToOldMaintenance(called: Called, { data, mode, dryRun }: ApplyConfigurationRequest): Applied {
  if (mode === Mode.NO_REBOOT || mode === Mode.STAGED) {
    const name = mode === Mode.STAGED ? "staged" : "no-reboot";
    throw refusal(`apply configuration --mode='${name}' is not supported in maintenance mode`, Code.Unimplemented);
  }
  const text = Buffer.from(data).toString("utf8");
  const refuse: Refuse = (message, stage) =>
    stage === "parse"
      ? refusal(`failed to parse config: ${message}`, Code.Unknown)
      : refusal(`${stage === "runtime" ? "runtime " : ""}configuration validation failed: ${message}`, Code.InvalidArgument);
  const documents = parsed(text, called.boot, refuse, true);
  const warnings = validated(called, documents, refuse, false);
  if (dryRun)
    return {
      warnings,
      modeDetails: "Dry run summary:\nNode is running in maintenance mode and does not have a config yet.",
    };
  applyFirst(called.lab, called.machine, called.boot, text, called.caller.fails);
  return { warnings };
}

function refusal(message: string, code: Code): ConnectError {
  return new ConnectError(message, code);
}

type Refuse = (message: string, stage: "parse" | "validate" | "runtime") => ConnectError;

function parsed(text: string, { system }: Boot, refuse: Refuse, mayBePartial: boolean) {
  const documents = refusing("parse", refuse, () => readDocuments(text, minorOf(system.version)));
  if (!mayBePartial && !documents.some((document) => document.kind === "v1alpha1")) {
    throw refuse(
      "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?",
      "parse",
    );
  }
  return documents;
}

function validated(called: Called, documents: ReturnType<typeof parsed>, refuse: Refuse, installed: boolean): string[] {
  const { version, platform } = called.boot.system;
  const name = platform === "metal" ? "metal" : "cloud";
  const requiresInstall = platform === "metal" && !installed;
  const mode = { name, requiresInstall, version, disks: called.machine.hardware.disks };
  return refusing("validate", refuse, () => validateDocuments(documents, mode));
}

function refusing<T>(stage: "parse" | "validate", refuse: Refuse, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigRefused) throw refuse(error.message, error.stage === "runtime" ? "runtime" : stage);
    throw error;
  }
}

const WITHOUT = "Applied configuration without a reboot";
const WITH = "Applied configuration with a reboot";

/** The effective mode on this machine. */
function effectiveMode(boot: Boot, text: string, asked: Mode, minor: number): { mode: Mode; details: string; because: string } {
  const [current, next] = [boot.config, text].map((one) => (one === undefined ? undefined : machineConfig(one)));
  const inMaintenance = boot.config === undefined;
  const reason = current && next && minor < 14 ? rebootReason(current, next) : undefined;
  if (asked === Mode.STAGED)
    return { mode: asked, details: "Staged configuration to be applied after the next reboot", because: "" };
  if (asked === Mode.NO_REBOOT || asked === Mode.TRY) {
    if (reason !== undefined && !inMaintenance) throw refusal(reason, Code.InvalidArgument);
    return { mode: asked, details: WITHOUT, because: "" };
  }
  if (inMaintenance || (asked === Mode.AUTO && reason === undefined)) {
    return { mode: Mode.NO_REBOOT, details: WITHOUT, because: "" };
  }
  return { mode: Mode.REBOOT, details: WITH, because: asked === Mode.AUTO ? `: ${reason}` : "" };
}

function carryOut({ lab, machine, boot, caller }: Called, mode: Mode, text: string, tryMs: number): void {
  if (boot.config === undefined) {
    applyFirst(lab, machine, boot, text, caller.fails);
  } else if (mode === Mode.TRY) applyTried(lab, machine, boot, text, tryMs);
  else if (mode === Mode.STAGED) applyStaged(lab, boot, text);
  else if (mode === Mode.REBOOT) applyWithReboot(lab, machine, boot, text, caller.fails);
  else applyNow(lab, machine, boot, text);
}

/** Cancels the pending revert of a tried config: Talos does so as soon as it gets another config. */
function confirmTried(boot: Boot): void {
  delete boot.revert;
}

/** Formats a duration as Go does: "1m0s". */
function goDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const tail = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${tail}`;
  return minutes > 0 ? `${minutes}m${tail}` : tail;
}
