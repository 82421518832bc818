import type { LabHandle } from "@talosmith/lab/host/lab-file.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { reportView } from "../views/report-view.ts";
import { bringUp, kubectlCommand } from "../workflows/bring-up.ts";
import { ALL_STAGES } from "../workflows/stages.ts";
import { showStatus } from "../workflows/status.ts";
import { labGone } from "./lab-gone.ts";
import { usualPlatform } from "./lab-sites.ts";
import { prepareLab } from "./lab-start.ts";
import { throughWire, type UseWire } from "./lab-wire.ts";
import type { CommandSession } from "./session.ts";

export interface DemoWish {
  speed: number | "instant";
  controlPlanes: number;
  workers: number;
}

const MOST = 9;

/** Starts the lab, writes a config for it and runs `up`, as a user would with three commands. */
export async function demonstrate(first: CommandSession, folder: string, wish: DemoWish, useWire: UseWire): Promise<number> {
  for (const [flag, count, least] of [
    ["--control-planes", wish.controlPlanes, 1],
    ["--workers", wish.workers, 0],
  ] as const) {
    if (Number.isInteger(count) && count >= least && count <= MOST) continue;
    throw userError("DEMO_SIZE", {
      message: `${flag} must be a whole number from ${least} to ${MOST}`,
      hint: `try ${flag} ${least + 1}`,
    });
  }
  const { bus } = first;
  bus.emit({
    type: "notice",
    level: "info",
    message: "starting the lab: a simulated Proxmox with Talos machines, on loopback addresses",
  });
  const lab = await prepareLab(first, folder, usualPlatform(), { name: "demo", ...wish }, ["--speed", String(wish.speed)]);
  const session = await throughWire(first, folder, lab, useWire);
  const all = { stages: ALL_STAGES, allowRemove: [], confirm: async () => true };
  const exitCode = await whileRunning(session, lab, (signal) => bringUp({ ...session, signal }, folder, all, reportView()));
  if (exitCode !== 0) return exitCode;
  await showStatus(session, folder);
  const env = openEnvironment(session.world, folder, session.redactor);
  const facts = Object.entries(FILES)
    .filter(([file]) => session.world.files.stat(`${env.folder}/${file}`))
    .map(([file, value]) => ({ key: file, label: file, value }));
  const next = [
    kubectlCommand(session.world, env, folder),
    ownCommand("plan", folder),
    ownCommand("verify", folder),
    ownCommand("down", folder),
    ownCommand("lab stop", folder),
  ];
  bus.emit({ type: "result", result: { kind: "facts", name: "files", title: `files in ${folder}`, facts, next } });
  return 0;
}

const LOOK_MS = 1_000;

/** Stops the work when the lab's process has ended: its machines would be waited for until the time limits. */
async function whileRunning(
  { world, signal }: CommandSession,
  lab: LabHandle,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const done = new AbortController();
  const gone = new AbortController();
  const watch = async () => {
    while (world.processes.state(lab.process) === "alive") await world.clock.sleep(LOOK_MS, done.signal);
    gone.abort(new Error("the lab has ended"));
  };
  watch().catch(() => {});
  try {
    const exitCode = await work(AbortSignal.any([signal, gone.signal]));
    const error = gone.signal.aborted ? await labGone(world, lab.folder) : undefined;
    if (error) throw error;
    return exitCode;
  } finally {
    done.abort();
  }
}

const FILES: Record<string, string> = {
  "config.yaml": "the only file you edit",
  "secrets.yaml": "the cluster's secrets; do not lose it",
  talosconfig: "for talosctl",
  kubeconfig: "for kubectl",
  "controlplane.yaml": "base machine config of control planes",
  "worker.yaml": "base machine config of workers",
  "outputs.json": "addresses, roles, ids for other programs",
  ".talosmith/runs": "every run, with its report",
};
