import type { Lab } from "../kernel/kernel.ts";
import { forgetHolders } from "./addresses.ts";
import { ring } from "./bell.ts";
import { machineConfig } from "./config/machine-config.ts";
import { durations } from "./durations.ts";
import { checkHealth, electLeader, etcdAnswers, localEtcd } from "./etcd/cluster.ts";
import { considerJoins } from "./etcd/join.ts";
import { considerVips, heldVips } from "./etcd/vip.ts";
import { apiUp, ofBoot } from "./machine/boot.ts";
import { tell, tellSequence } from "./machine/events.ts";
import { PORTS, reaches } from "./machine/reach.ts";
import { isHealthy, isRunning } from "./machine/services.ts";
import { requiredServices, statusOf } from "./machine/status.ts";
import { forgetNodes } from "./nodes.ts";
import { type Machine, type TalosState, talosState } from "./state.ts";
import { NODES_CHANGED } from "./view.ts";

/** Applies the effects of a change on other machines and services. Call it after every change. */
export function settle(lab: Lab): void {
  const state = talosState(lab);
  const machines = Object.values(state.machines);
  signWorkers(lab, machines);
  for (const cluster of Object.values(state.etcd)) {
    electLeader(lab, cluster);
    checkHealth(lab, cluster);
  }
  considerJoins(lab);
  for (const cluster of Object.values(state.etcd)) considerVips(lab, cluster);
  for (const machine of machines) {
    considerStaticPods(lab, machine);
    considerBootDone(lab, machine);
    tellStatus(lab, machine);
  }
  forgetNodes(state);
  tellKubernetes(lab, state, machines);
  forgetHolders(state);
  ring(lab);
}

/** Signs workers' certificates, as trustd does on any reachable control plane with the same token (docs/facts/talos.md#node-certificates). */
function signWorkers(lab: Lab, machines: readonly Machine[]): void {
  const waiting = machines.filter(({ boot }) => boot?.api === "closed" && boot.services.apid?.state === "Preparing");
  if (waiting.length === 0) return;
  const signers = machines.flatMap((machine) => {
    const { boot } = machine;
    const config = boot?.config !== undefined && isRunning(boot, "trustd") ? machineConfig(boot.config) : undefined;
    return config ? [{ machine, secret: `${config.token}\n${config.ca.certificate}` }] : [];
  });
  for (const machine of waiting) {
    const { boot } = machine;
    const config = boot?.config === undefined ? undefined : machineConfig(boot.config);
    if (!boot || !config) continue;
    const secret = `${config.token}\n${config.ca.certificate}`;
    if (signers.some((signer) => signer.secret === secret && reaches(machine, signer.machine, PORTS.trustd))) apiUp(lab, boot);
  }
}

function considerStaticPods(lab: Lab, machine: Machine): void {
  const { boot } = machine;
  if (boot?.staticPods !== "none" || !isHealthy(boot, "kubelet") || !etcdAnswers(lab, machine)) return;
  boot.staticPods = "starting";
  lab.schedule("talos.static-pods", durations.staticPods, { ...ofBoot(machine, boot) });
}

function considerBootDone(lab: Lab, { boot }: Machine): void {
  if (boot?.stage !== "booting" || boot.config === undefined) return;
  const config = machineConfig(boot.config);
  if (!config || !requiredServices(config.role).every((id) => isHealthy(boot, id))) return;
  boot.stage = "running";
  tellSequence(lab, boot, "boot", "STOP");
}

function tellStatus(lab: Lab, machine: Machine): void {
  const { boot } = machine;
  if (!boot) return;
  const status = statusOf(lab, machine);
  const said = JSON.stringify(status);
  if (said === boot.status) return;
  boot.status = said;
  tell(lab, boot, { kind: "status", ...status });
}

/** Informs Kubernetes when anything in its view has changed, detected by a short summary. */
function tellKubernetes(lab: Lab, state: TalosState, machines: readonly Machine[]): void {
  const told = machines
    .filter(({ boot }) => boot?.config !== undefined)
    .map((machine) => {
      const { boot } = machine;
      const config = machineConfig(boot?.config ?? "");
      const etcd = config?.role === "controlplane" && `${etcdAnswers(lab, machine)} ${localEtcd(lab, machine)?.cluster.id}`;
      return `${boot?.id} ${config?.digest} ${boot && isHealthy(boot, "kubelet")} ${etcd} ${heldVips(lab, machine)}`;
    })
    .join("\n");
  if (told === state.told) return;
  state.told = told;
  if (lab.handles(NODES_CHANGED)) lab.schedule(NODES_CHANGED, 0, {});
}
