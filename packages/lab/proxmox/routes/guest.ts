import type { Json } from "@talosmith/lib/json.ts";
import { mayAt, type Permission } from "../access/permission.ts";
import { durations } from "../durations.ts";
import { startJob } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { whenDone } from "../jobs/waiting.ts";
import { died } from "../refusal.ts";
import { shuffled } from "../shuffle.ts";
import { type Host, hostNamed } from "../state.ts";
import { cloudInitFile } from "../vm/cloud-init.ts";
import { cloudInitSection, isCloudInitKey, shownValue, vmOn } from "../vm/config.ts";
import { agentAnswer } from "../vm/guests.ts";
import { type ApiCall, type ByRelease, type Later, type Method, route } from "./route.ts";

/** GET …/cloudinit: the current content of the drive, and the content after it is written again. */
function cloudInit({ lab, state, node, params }: ApiCall): Json {
  const vm = vmOn(state, node, Number(params.vmid));
  const { added = "", ...old } = cloudInitSection(vm);
  const fresh = added.split(",");
  const entries: Json[] = Object.keys(vm.config)
    .filter(isCloudInitKey)
    .map((key) => {
      const value = shownValue(key, vm.config[key] as string);
      if (fresh.includes(key)) return { key, pending: value };
      return old[key] === undefined ? { key, value } : { key, value: shownValue(key, old[key]), pending: value };
    });
  const gone = Object.keys(old).filter((key) => vm.config[key] === undefined);
  return shuffled(lab, `cloudinit ${vm.vmid}`, [...entries, ...gone.map((key) => ({ key, delete: 1 }))]);
}

function regenerate({ lab, node, caller, params, fault }: ApiCall): Later {
  const vmid = Number(params.vmid);
  const steps = [
    { lock: configLock(vmid), waitMs: CONFIG_WAIT },
    { after: durations.cloudInitDrive },
    { become: "vm.cloudinit", with: { vmid } },
  ];
  return whenDone(lab, startJob(lab, { node, by: caller, steps, fault }));
}

function dump({ state, caller, node, params }: ApiCall): Json {
  const vm = vmOn(state, node, Number(params.vmid));
  const { resolver } = hostNamed(state, node) as Host;
  return cloudInitFile(vm, resolver, params.type as string, !mayAt(state, caller, `/vms/${vm.vmid}`, "VM.Config.Cloudinit"));
}

/** The agent answers if the machine has its device and the guest runs the agent (docs/facts/proxmox.md#guest-agent). */
function ask(command: string): (call: ApiCall) => Json {
  return ({ lab, state, node, params }) => {
    const vm = vmOn(state, node, Number(params.vmid));
    if (vm.config.agent === undefined) throw died("No QEMU guest agent configured");
    if (!vm.power) throw died(`VM ${vm.vmid} is not running`);
    const answer = agentAnswer(lab, vm, command);
    if (answer === undefined) throw died("QEMU guest agent is not running");
    return { result: answer };
  };
}

const AT = "/nodes/:node/qemu/:vmid";
const AUDIT = { permission: { privilege: ["/vms/:vmid", "VM.Audit"] } } as const;
const AGENT: { permission: ByRelease<Permission> } = {
  permission: ({ agentPrivileges }) => ({
    anyPrivilege: agentPrivileges
      ? ["/vms/:vmid", "VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"]
      : ["/vms/:vmid", "VM.Monitor"],
  }),
};
const COMMANDS = ["get-fsinfo", "get-host-name", "get-osinfo", "get-time", "info", "network-get-interfaces"];

export const guestRoutes: Method[] = [
  route("GET", `${AT}/cloudinit`, AUDIT, cloudInit),
  route("PUT", `${AT}/cloudinit`, { permission: { privilege: ["/vms/:vmid", "VM.Config.Cloudinit"] } }, regenerate),
  route(
    "GET",
    `${AT}/cloudinit/dump`,
    { ...AUDIT, parameters: { type: { type: "string", enum: ["user", "network", "meta"] } } },
    dump,
  ),
  route("GET", `${AT}/agent`, { permission: { user: "all" } }, () => [...COMMANDS, "ping"].sort().map((name) => ({ name }))),
  route("POST", `${AT}/agent/ping`, AGENT, ask("ping")),
  ...COMMANDS.map((command) => route("GET", `${AT}/agent/${command}`, AGENT, ask(command))),
];
