import { setMaxListeners } from "node:events";
import { factoryService } from "@talosmith/lab/factory/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import type { ProxmoxOptions } from "@talosmith/lab/proxmox/initial.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import { sshService } from "@talosmith/lab/ssh/service.ts";
import { runOnHost } from "@talosmith/lab/ssh/shell.ts";
import { asTalosmithError, type ErrorReport } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { labConfig } from "../../../test/support/config.ts";
import { testWorld } from "../../../test/support/test-world.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { EventBus } from "../../engine/bus.ts";
import type { Event } from "../../engine/event.ts";
import type { PlanResult } from "../../engine/result.ts";
import type { CommandSession } from "../../platforms/command-session.ts";
import { hostPrepare } from "../../platforms/proxmox/host/command.ts";
import type { HostFlags } from "../../platforms/proxmox/host/wish.ts";
import { reportView } from "../../views/report-view.ts";
import { bringUp } from "../bring-up.ts";
import { diagnose } from "../doctor.ts";
import { planPlatformCommand, runPlatformCommand } from "../platform-command.ts";

export const FOLDER = "/env";
const TIME_SCALE = 200;

/* Proxmox hosts without any preparation, and the commands a user would type. One lab at a time. */

export let lab: RunningLab;
export let files: VolatileFiles;
let pid = 1;

interface Wishes {
  proxmox?: ProxmoxOptions;
  /** Changes to the text of the config. */
  config?: (text: string) => string;
  firstWorker?: string;
}

/** Starts a Proxmox without any preparation. */
export async function fresh({ proxmox = {}, config = (text) => text, firstWorker }: Wishes = {}): Promise<void> {
  const services = [
    factoryService({ buildMs: 10 }),
    proxmoxService(proxmox),
    sshService({ bootloaders: { pve3: "systemd-boot" } }),
  ];
  // Time stands still for a host, too, while this process does not get to run.
  lab = await createLab(realWorld({ timeScale: 1 }), { seed: "host", timeScale: TIME_SCALE, services });
  await lab.start();
  await sh("pveum user delete talosmith@pve; pveum role delete TalosmithDeploy");
  const { proxmox: there = {}, factory = {}, ssh = {} } = lab.published();
  const text = labConfig(
    {
      block: lab.address.prefix,
      url: there.url ?? "",
      fingerprint: there.fingerprint ?? "",
      token: "",
      factory: factory.url ?? "",
      hosts: (there.hosts ?? "").split(","),
    },
    { ...(firstWorker !== undefined && { firstWorker }) },
  ).replace(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the config.
    "token: ${env:LAB_TOKEN}",
    `token: \${file:proxmox-token}\n  ssh:\n    port: ${ssh.port}\n    key: \${file:key}\n    hostKey: "${ssh.fingerprint}"`,
  );
  files = new VolatileFiles();
  files.makeFolder(FOLDER, 0o700);
  files.write(`${FOLDER}/config.yaml`, Buffer.from(config(text)), 0o644);
  files.write(`${FOLDER}/key`, Buffer.from(ssh.key ?? ""), 0o600);
}

export const closeLab = () => lab.close();

export const sh = (line: string, host = "pve1") => runOnHost(lab, host, line);

interface Outcome {
  exitCode: number;
  events: Event[];
  plan: PlanResult | undefined;
  /** Every error, as it would be read. */
  errors: string;
  all: string;
}

async function run(work: (session: CommandSession) => Promise<number>, stopAt?: (event: Event) => boolean): Promise<Outcome> {
  const world = testWorld({ files, timeScale: TIME_SCALE, self: { pid: pid++ } });
  const redactor = new Redactor();
  const bus = new EventBus(world.clock, redactor);
  const events: Event[] = [];
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  bus.listen((event) => {
    events.push(event);
    if (stopAt?.(event)) stop.abort(new Error("killed"));
  });
  const exitCode = await work({ world, bus, redactor, signal: stop.signal, mayMutate: () => {} }).catch((error: unknown) => {
    if (stop.signal.aborted) return 130;
    events.push({ at: "", type: "error", error: asTalosmithError(error).report() });
    return 1;
  });
  const plan = events.flatMap((event) => (event.type === "result" && event.result.kind === "plan" ? [event.result] : []))[0];
  const errors = events.flatMap((event) =>
    "error" in event && event.error && event.type !== "mutation.outcome" ? [words(event.error)] : [],
  );
  return { exitCode, events, plan, errors: errors.join("\n"), all: JSON.stringify(events) };
}

function words({ message, detail = "", hint = "", problems: parts = [] }: ErrorReport): string {
  return [message, detail, hint, ...parts.map(words)].join("\n");
}

export const prepare = (flags: HostFlags = {}, stopAt?: (event: Event) => boolean) =>
  run(
    (session) =>
      runPlatformCommand(session, FOLDER, hostPrepare, { flags: { ...flags }, confirm: async () => true }, reportView()),
    stopAt,
  );
export const planned = (flags: HostFlags = {}) =>
  run((session) => planPlatformCommand(session, FOLDER, hostPrepare, { ...flags }));
export const doctor = () => run((session) => diagnose(session, FOLDER));
export const up = () =>
  run((session) =>
    bringUp(
      session,
      FOLDER,
      { stages: { from: "preflight", until: "provision" }, allowRemove: [], confirm: async () => true },
      reportView(),
    ),
  );

export const token = () => Buffer.from(files.read(`${FOLDER}/proxmox-token`) ?? "").toString();
export const problems = ({ events }: Outcome) =>
  events.flatMap((event) =>
    event.type === "result" && event.result.kind === "checks"
      ? event.result.checks.flatMap(({ findings }) =>
          findings.filter(({ level }) => level === "fail").map(({ message }) => message),
        )
      : [],
  );
export const notes = ({ plan, events }: Outcome) => [
  ...(plan?.notes ?? []).map(({ code }) => code),
  ...events.flatMap((event) => (event.type === "step.finding" && event.finding.level !== "ok" ? [event.finding.code] : [])),
];
