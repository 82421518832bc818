import { asTalosmithError, remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import type { ProxmoxClient } from "./client/client.ts";
import { hosts } from "./client/nodes.ts";
import { type VmSummary, vmsOfCluster } from "./client/qemu.ts";
import { isUnreachable } from "./client/refusal.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { type Homes, homesOf, usualHomes } from "./homes.ts";
import { diskOwners, vmidsFor } from "./identity.ts";
import type { KeptDisk } from "./kept-disks.ts";
import { creationTest, mayBe } from "./likely-ids.ts";
import type { Machine } from "./machine.ts";
import { readMark } from "./mark.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import { isOurs, type Scan, scan } from "./scan.ts";
import { settledVm } from "./settled-vm.ts";

/** The place of a node's machine: its id and host, and the machine itself when it exists. */
export interface Place {
  vmid: number;
  host: string;
  machine?: Machine;
  /** Its host is unreachable, so it is unknown whether the machine exists. */
  unreachable?: true;
  /** Incomplete VMs at the node's ids that only root can remove. */
  stuck: VmSummary[];
}

/** All machines that a survey found, and the disks that wait for machines. */
export interface Survey extends Scan {
  waiting: readonly KeptDisk[];
}

/** Whether this pass has surveyed all machines: then none of them is read again. */
const SURVEYED = "all machines are surveyed";

/** The places of all machines of an environment. The first call surveys all of them, later ones read only the requested machine. */
export class Places {
  readonly #client: ProxmoxClient;
  readonly #env: ProxmoxEnvironment;
  readonly #known = new Map<string, Place>();
  /** Nodes without a possible place, each with the reason. */
  readonly #impossible = new Map<string, Error>();
  /** Nodes whose step failed in this command: a task of a call whose response was lost may still be running. */
  readonly #disturbed = new Set<string>();
  /** Nodes whose VM this command created, to the end. */
  readonly #made = new Set<string>();
  /** Whether a VM that is being created may be this environment's. */
  #mayBeOurs: ((vmid: number) => boolean) | undefined;
  #homes: Homes;
  #offline: ReadonlySet<string> = new Set();
  #finding: Promise<void> | undefined;

  constructor(client: ProxmoxClient, env: ProxmoxEnvironment) {
    this.#client = client;
    this.#env = env;
    this.#homes = usualHomes(env);
  }

  /** The current place of a node, read once per pass. */
  find(c: Read, environment: string, node: string): Promise<Place> {
    return c.shared(`place ${node}`, () => this.#find(c, environment, node));
  }

  /** Surveys the whole environment at once; `find` in the same pass uses the result. */
  survey(c: Read, environment: string): Promise<Survey> {
    return c.shared("scan", () => {
      void c.shared(SURVEYED, async () => true);
      return this.#survey(c, environment);
    });
  }

  /** Surveys only when no VM is being created that may be this environment's, whatever its id. */
  awaitEveryCreation(): void {
    this.#mayBeOurs = () => true;
  }

  /** The place that was found last. */
  assigned(node: string): Place | undefined {
    return this.#known.get(node);
  }

  /** The host of each new machine, by the last survey. */
  homes(): ReadonlyMap<string, string> {
    return this.#homes.of;
  }

  /** Whether the last survey found the host offline. */
  isOffline(host: string): boolean {
    return this.#offline.has(host);
  }

  /** Queries the cluster, because a call to an offline host only ends with a time-out. */
  async isStillOffline(c: Read, host: string): Promise<boolean> {
    if (!this.#offline.has(host)) return false;
    const members = await c.shared("hosts", () => hosts(this.#client, c.signal));
    return !members.some(({ name, online }) => name === host && online);
  }

  forget(node: string): void {
    this.#known.delete(node);
    this.#made.delete(node);
  }

  /** The VM of a node exists, and the task that created it has ended. */
  made(node: string): void {
    if (!this.#disturbed.has(node)) this.#made.add(node);
  }

  /** A change of a node's VM has failed: what became of it is unknown. */
  disturbed(node: string): void {
    this.#disturbed.add(node);
    this.#made.delete(node);
  }

  async #survey(c: Read, environment: string): Promise<Survey> {
    this.#mayBeOurs ??= creationTest(c.world, this.#env, environment);
    const found = await scan(this.#client, c, environment, this.#env.config.cluster.name, this.#mayBeOurs);
    this.#offline = found.offline;
    this.#homes = await homesOf(this.#client, this.#env, c, environment, found);
    return { ...found, waiting: this.#homes.waiting };
  }

  async #find(c: Read, environment: string, node: string): Promise<Place> {
    if (await c.shared(SURVEYED, async () => false)) {
      await c.shared("places", () => this.#findAll(c, environment));
    } else {
      const before = this.#known.get(node);
      const now = before && (await this.#lookAt(c, environment, node, before));
      if (now) return this.#remember(node, now);
      this.#finding ??= this.#findAll(c, environment).finally(() => {
        this.#finding = undefined;
      });
      await this.#finding;
    }
    const why = this.#impossible.get(node);
    if (why) throw why;
    const place = this.#known.get(node);
    if (!place) throw userError("NO_SUCH_NODE", { message: `There is no node ${node} in the config`, hint: "check the name" });
    return place;
  }

  #remember(node: string, place: Place): Place {
    this.#known.set(node, place);
    return place;
  }

  /** Reads a known place again; undefined when the id on this host no longer belongs to the node. */
  async #lookAt(c: Read, environment: string, node: string, place: Place): Promise<Place | undefined> {
    const { machine, unreachable, ...rest } = place;
    const isOffline = await this.isStillOffline(c, place.host);
    const [made, disturbed] = [this.#made.has(node), this.#disturbed.has(node)];
    // It was absent, and no call has created it since: the creating call itself finds out whether its id has been taken.
    if (!isOffline && !machine && !unreachable && !made && !disturbed) return rest;
    const known = { hasNoTask: !disturbed, exists: made };
    const found = isOffline
      ? "unreachable"
      : await settledVm(this.#client, c, place.host, place.vmid, known).catch((error: unknown) => {
          if (!isUnreachable(error)) throw error;
          return "unreachable" as const;
        });
    if (found === "unreachable") return { ...rest, unreachable: true };
    // It may have migrated, or its id was taken on another host: only a survey of all hosts proves that it is absent.
    if (found === "absent") return machine || unreachable || this.#disturbed.has(node) ? undefined : rest;
    if (found === "stuck") return undefined;
    const mark = readMark(found.config.next.description);
    if (!isOurs(mark, place.vmid, environment, this.#env.config.cluster.name) || mark.node !== node) return undefined;
    return { ...rest, machine: { ...found, ...(await this.#poolOf(c, node, place.vmid)), mark } };
  }

  /** Only the cluster's list contains pools, so it is read only for nodes whose config names one. */
  async #poolOf(c: Read, name: string, vmid: number): Promise<{ pool?: string }> {
    if (this.#env.config.nodes.find((node) => node.name === name)?.pool === undefined) return {};
    const pool = (await vmsOfCluster(this.#client, c.signal)).find((vm) => vm.vmid === vmid)?.pool;
    return pool === undefined ? {} : { pool };
  }

  async #findAll(c: Read, environment: string): Promise<void> {
    const { nodes } = this.#env.config;
    const found = await this.survey(c, environment);
    const taken = new Set([
      ...nodes.flatMap((node) => node.vmid ?? found.machines.get(node.name)?.vmid ?? []),
      ...diskOwners(environment),
    ]);
    for (const node of nodes) {
      try {
        const place = await this.#placeOf(c, environment, node, found, taken);
        taken.add(place.vmid);
        this.#known.set(node.name, place);
        this.#impossible.delete(node.name);
      } catch (error) {
        c.signal.throwIfAborted();
        // A problem of one node must not stop the others; a failure of the whole Proxmox affects every node anyway.
        this.#impossible.set(node.name, asTalosmithError(error));
      }
    }
  }

  async #placeOf(c: Read, environment: string, node: ProxmoxNodeConfig, found: Scan, taken: Set<number>): Promise<Place> {
    const machine = found.machines.get(node.name);
    const hidden = machine ? undefined : found.unreadable.find((vm) => mayBe(vm, environment, node));
    if (hidden) return { vmid: hidden.vmid, host: hidden.host, unreachable: true, stuck: [] };
    const { of: homes, impossible, hidden: behind } = this.#homes;
    const why = impossible.get(node.name);
    if (why) throw why;
    if (machine) return { vmid: machine.vmid, host: machine.host, machine, stuck: [] };
    const offline = behind.get(node.name);
    if (offline === undefined) return this.#choose(c, environment, node, homes.get(node.name) as string, found, taken);
    const vmid = node.vmid ?? (vmidsFor(environment, node.name).next().value as number);
    return { vmid, host: offline, unreachable: true, stuck: [] };
  }

  /** Chooses the first id in the node's sequence that is free or has its machine. */
  async #choose(
    c: Read,
    environment: string,
    node: ProxmoxNodeConfig,
    home: string,
    found: Scan,
    taken: Set<number>,
  ): Promise<Place> {
    const stuck: VmSummary[] = [];
    for (const vmid of node.vmid === undefined ? vmidsFor(environment, node.name) : [node.vmid]) {
      if (node.vmid === undefined && taken.has(vmid)) continue;
      const there = found.all.get(vmid);
      if (!there) return { vmid, host: home, stuck };
      if (there.kind === "vm") {
        if (found.offline.has(there.host)) return { vmid, host: there.host, unreachable: true, stuck };
        const vm = await settledVm(this.#client, c, there.host, vmid);
        if (vm === "absent") return { vmid, host: home, stuck };
        const mark = vm === "stuck" ? undefined : readMark(vm.config.next.description);
        if (vm !== "stuck" && isOurs(mark, vmid, environment, this.#env.config.cluster.name) && mark.node === node.name) {
          const { pool } = there;
          return { vmid, host: vm.host, machine: { ...vm, ...(pool !== undefined && { pool }), mark }, stuck };
        }
        if (vm === "stuck") stuck.push(there);
      }
      if (node.vmid !== undefined) throw idTaken(this.#env, node, there);
    }
    throw remoteError("NO_FREE_ID", {
      message: `Unable to find a free VM id for ${node.name}`,
      hint: "give the node a vmid in the config",
    });
  }
}

/** The error for a VM id in the config that another VM or container has. */
export function idTaken(env: ProxmoxEnvironment, node: ProxmoxNodeConfig, there: VmSummary): TalosmithError {
  const where = env.where(["nodes", node.name, "vmid"]);
  const what = there.kind === "vm" ? "VM" : "container";
  return userError("VMID_TAKEN", {
    message: `VM id ${there.vmid} of ${node.name} is taken by the ${what} ${there.name ?? there.vmid} on ${there.host}`,
    hint: "choose another vmid, or leave it out to have one derived",
    ...(where && { where }),
  });
}
