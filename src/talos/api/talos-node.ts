import type { Json } from "../../lib/json.ts";

export type MachineConfigMode = "auto" | "no-reboot" | "staged" | "try";

/** A node that has its config. Every method rejects with a TalosmithError; what may work when tried again is marked transient. */
export interface TalosNode {
  readonly address: string;
  version(signal: AbortSignal): Promise<{ version: string; platform: string }>;
  /** The config as it was submitted, or undefined while there is none. */
  machineConfig(signal: AbortSignal): Promise<string | undefined>;
  apply(
    config: string,
    mode: MachineConfigMode,
    signal: AbortSignal,
  ): Promise<{ rebooting: boolean; details: string; warnings: readonly string[] }>;
  /** Makes a new etcd cluster on this node. Rejects with code TALOS_ALREADY_BOOTSTRAPPED when there is etcd data. */
  bootstrap(signal: AbortSignal): Promise<void>;
  /** What `talosctl kubeconfig` writes. */
  kubeconfig(signal: AbortSignal): Promise<string>;
  services(signal: AbortSignal): Promise<readonly Service[]>;
  etcdMembers(signal: AbortSignal): Promise<readonly EtcdMember[]>;
  /** It removes itself from etcd's members and its data from its disk. What comes back as a control plane later joins anew. */
  leaveEtcd(signal: AbortSignal): Promise<void>;
  /** For a member that cannot leave by itself, said to any other one. One that is not there (any more) is fine. */
  removeEtcdMember(id: bigint, signal: AbortSignal): Promise<void>;
  /** Something is in etcd's data directory: what bootstrap looks at, too. */
  hasEtcdData(signal: AbortSignal): Promise<boolean>;
  reboot(signal: AbortSignal): Promise<void>;
  shutdown(signal: AbortSignal): Promise<void>;
  /** Wipes STATE and EPHEMERAL and boots into maintenance mode. */
  reset(options: { graceful: boolean; reboot: boolean }, signal: AbortSignal): Promise<void>;
  /** COSI; undefined when there is no such resource. */
  resource(of: { namespace: string; type: string; id: string }, signal: AbortSignal): Promise<Resource | undefined>;
  resources(of: { namespace: string; type: string }, signal: AbortSignal): Promise<readonly Resource[]>;
}

export interface Service {
  id: string;
  /** Initialized, Starting, Preparing, Waiting, Running, Stopping, Finished, Failed, Skipped */
  state: string;
  /** undefined while nobody has looked. */
  healthy: boolean | undefined;
  /** The last thing it said about itself. */
  message: string;
}

export interface EtcdMember {
  id: bigint;
  hostname: string;
  peerUrls: readonly string[];
  isLearner: boolean;
}

export interface Resource {
  id: string;
  version: string;
  phase: string;
  /** Parsed from its YAML. */
  spec: Json;
}
