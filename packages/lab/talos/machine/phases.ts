/** The phases of a sequence with Talos's names; the tasks of a phase run in parallel. */
type Phases = readonly (readonly [phase: string, ...tasks: string[]])[];

const STOP_EVERYTHING: Phases = [
  ["stopServicesForReboot", "stopServicesEphemeral"],
  ["unmountUser", "unmountPodMounts"],
  ["unmountSystem", "unmountEphemeralPartition"],
  ["volumeFinalize", "teardownVolumeLifecycle"],
  ["stopEverything", "stopAllServices"],
];

const PHASES: Record<string, Phases> = {
  initialize: [
    ["systemRequirements", "enforceKSPPRequirements"],
    ["earlyServices", "startUdevd", "startMachined", "startAuditd", "startSyslogd", "startContainerd"],
    ["usb", "waitForUSB"],
    ["meta", "reloadMeta"],
    ["dashboard", "startDashboard"],
    ["config", "loadConfig"],
  ],
  install: [
    ["env", "setUserEnvVars"],
    ["install", "install"],
  ],
  boot: [
    ["memorySizeCheck", "memorySizeCheck"],
    ["diskSizeCheck", "diskSizeCheck"],
    ["env", "setUserEnvVars"],
    ["dbus", "startDBus"],
    ["ephemeral", "mountEphemeralPartition"],
    ["udevSetup", "writeUdevRules"],
    ["userDisks", "mountUserDisks"],
    ["userSetup", "writeUserFiles"],
    ["startEverything", "startAllServices"],
  ],
  reboot: [["cleanup", "stopAllPods"], ["dbus", "stopDBus"], ...STOP_EVERYTHING, ["reboot", "reboot"]],
  shutdown: [
    ["storeShutdown", "storeShutdownEmergency"],
    ["drain", "cordonAndDrainNode"],
    ["cleanup", "stopAllPods"],
    ["dbus", "stopDBus"],
    ...STOP_EVERYTHING,
    ["shutdown", "shutdown"],
  ],
  reset: [
    ["cleanup", "stopAllPods"],
    ["dbus", "stopDBus"],
    ["preReset", "sendResetSignal"],
    ...STOP_EVERYTHING,
    ["reset", "resetSystemDisk"],
  ],
};

/** The kernel's reboot commands: LINUX_REBOOT_CMD_KEXEC, as Talos restarts without the firmware, and LINUX_REBOOT_CMD_POWER_OFF. */
const COMMANDS: Record<string, number> = { reboot: 0x45584543, shutdown: 0x4321fedc };

export type SequenceStep =
  | { kind: "phase"; phase: string; action: "START" | "STOP" }
  | { kind: "task"; task: string; action: "START" | "STOP" }
  | { kind: "restart"; command: number };

/** The events at the start of a sequence: everything up to its last phase, which lasts until the sequence ends. */
export function stepsAt(sequence: string, action: "START" | "STOP", force = false): SequenceStep[] {
  // A forced shutdown skips the drain, and nothing else.
  const phases = (PHASES[sequence] ?? []).filter(([name]) => !(force && name === "drain"));
  const last = phases.at(-1);
  if (!last) return [];
  if (action === "STOP") return [...tasks(last, "STOP"), phase(last, "STOP")];
  const before = phases
    .slice(0, -1)
    .flatMap((one) => [phase(one, "START"), ...tasks(one, "START"), ...tasks(one, "STOP"), phase(one, "STOP")]);
  const command = COMMANDS[sequence];
  const end: SequenceStep[] = command === undefined ? [] : [{ kind: "restart", command }];
  return [...before, phase(last, "START"), ...tasks(last, "START"), ...end];
}

function phase([name]: Phases[number], action: "START" | "STOP"): SequenceStep {
  return { kind: "phase", phase: name, action };
}

function tasks([, ...names]: Phases[number], action: "START" | "STOP"): SequenceStep[] {
  return names.map((task) => ({ kind: "task", task, action }));
}
