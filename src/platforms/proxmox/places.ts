import type { ProxmoxNodeConfig } from "../../config/config.ts";
import type { Read } from "../../engine/step.ts";
import { remoteError, userError } from "../../lib/errors.ts";
import type { ProxmoxClient } from "./client/client.ts";
import type { VmSummary } from "./client/qemu.ts";
import { vmidsFor } from "./identity.ts";
import type { Machine } from "./machine.ts";
import { readMark } from "./mark.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import { isOurs, type Scan, scan } from "./scan.ts";
import { settledVm } from "./settled-vm.ts";
import { spread } from "./spread.ts";

/** Where a node's machine is, or will be: its id and host, and the machine itself when it is there. */
export interface Place {
  vmid: number;
  host: string;
  machine?: Machine;
  /** VMs in the way that nobody but root can clear. */
  stuck: VmSummary[];
}

/** Knows where every machine of an environment belongs. Finds out once for all of them, then asks only about the one in question. */
export class Places {
  readonly #client: ProxmoxClient;
  readonly #env: ProxmoxEnvironment;
  readonly #known = new Map<string, Place>();
  #finding: Promise<void> | undefined;

  constructor(client: ProxmoxClient, env: ProxmoxEnvironment) {
    this.#client = client;
    this.#env = env;
  }

  /** The place of a node as it is in this pass over reality. */
  find(c: Read, environment: string, node: string): Promise<Place> {
    return c.shared(`place ${node}`, () => this.#find(c, environment, node));
  }

  /** Everything of this environment at once; who asks for a place in the same pass gets what was found here. */
  survey(c: Read, environment: string): Promise<Scan> {
    return c.shared("scan", () => scan(this.#client, c, environment, this.#env.config.cluster.name));
  }

  /** What was found last. */
  assigned(node: string): Place | undefined {
    return this.#known.get(node);
  }

  async #find(c: Read, environment: string, node: string): Promise<Place> {
    const before = this.#known.get(node);
    if (before) {
      const now = await this.#lookAt(c, environment, node, before);
      if (now) return this.#remember(node, now);
    }
    this.#finding ??= this.#findAll(c, environment).finally(() => {
      this.#finding = undefined;
    });
    await this.#finding;
    const place = this.#known.get(node);
    if (!place) throw userError("NO_SUCH_NODE", { message: `There is no node ${node} in the config`, hint: "check the name" });
    return place;
  }

  forget(node: string): void {
    this.#known.delete(node);
  }

  #remember(node: string, place: Place): Place {
    this.#known.set(node, place);
    return place;
  }

  /** Undefined when it is no longer true that this id on this host is ours to use. */
  async #lookAt(c: Read, environment: string, node: string, place: Place): Promise<Place | undefined> {
    const found = await settledVm(this.#client, c, place.host, place.vmid);
    const { machine: _, ...rest } = place;
    // Gone from its host: it may have moved, so only a look at all hosts can say that it is absent.
    if (found === "absent") return place.machine ? undefined : rest;
    if (found === "stuck") return undefined;
    const mark = readMark(found.config.next.description);
    if (!isOurs(mark, place.vmid, environment, this.#env.config.cluster.name) || mark.node !== node) return undefined;
    return { ...rest, machine: { ...found, mark } };
  }

  async #findAll(c: Read, environment: string): Promise<void> {
    const { config } = this.#env;
    const found = await this.survey(c, environment);
    const homes = spread(config.nodes, config.proxmox.hosts);
    const taken = new Set(config.nodes.flatMap((node) => node.vmid ?? found.machines.get(node.name)?.vmid ?? []));
    for (const node of config.nodes) {
      const machine = found.machines.get(node.name);
      const place = machine
        ? { vmid: machine.vmid, host: machine.host, machine, stuck: [] }
        : await this.#choose(c, environment, node, homes.get(node.name) as string, found, taken);
      taken.add(place.vmid);
      this.#known.set(node.name, place);
    }
  }

  /** The first id in the node's own sequence that is free, or already holds its machine. */
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
        const vm = await settledVm(this.#client, c, there.host, vmid);
        if (vm === "absent") return { vmid, host: home, stuck };
        const mark = vm === "stuck" ? undefined : readMark(vm.config.next.description);
        if (vm !== "stuck" && isOurs(mark, vmid, environment, this.#env.config.cluster.name) && mark.node === node.name) {
          return { vmid, host: vm.host, machine: { ...vm, mark }, stuck };
        }
        if (vm === "stuck") stuck.push(there);
      }
      if (node.vmid !== undefined) throw this.#idTaken(node, there);
    }
    throw remoteError("NO_FREE_ID", {
      message: `Unable to find a free VM id for ${node.name}`,
      hint: "give the node a vmid in the config",
    });
  }

  #idTaken(node: ProxmoxNodeConfig, there: VmSummary) {
    const where = this.#env.where(["nodes", node.name, "vmid"]);
    return userError("VMID_TAKEN", {
      message: `VM id ${there.vmid} of ${node.name} is taken by ${there.name ?? "another VM"} on ${there.host}, which is not ours`,
      hint: "choose another vmid, or leave it out to have one derived",
      ...(where && { where }),
    });
  }
}
