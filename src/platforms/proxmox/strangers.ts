import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import type { ProxmoxClient } from "./client/client.ts";
import { vmConfig } from "./client/qemu.ts";
import { refusalOf } from "./client/refusal.ts";
import { readMark } from "./mark.ts";
import type { Places } from "./places.ts";
import { readNetworkCard } from "./property-string.ts";
import { isOurs } from "./scan.ts";

interface Holder {
  vmid: number;
  host: string;
}

/**
 * Finds VMs that have the MAC of a machine to be created, but no mark: most likely that machine with edited notes. A second machine would put two
 * nodes on one address, so the run stops.
 */
export class Strangers {
  readonly #client: ProxmoxClient;
  readonly #places: Places;
  readonly #cluster: string;
  /** Read once per command, and only before a machine is created, because it takes the config of every VM without our mark. */
  #cards: Promise<Map<string, Holder>> | undefined;

  constructor(client: ProxmoxClient, places: Places, cluster: string) {
    this.#client = client;
    this.#places = places;
    this.#cluster = cluster;
  }

  async with(c: Read, environment: string, macs: readonly string[], node: string): Promise<TalosmithError | undefined> {
    this.#cards ??= this.#read(c, environment).catch((error: unknown) => {
      this.#cards = undefined;
      throw error;
    });
    const cards = await this.#cards;
    const mac = macs.find((one) => cards.has(one));
    const holder = mac === undefined ? undefined : cards.get(mac);
    if (!holder) return undefined;
    return userError("MAC_IN_USE", {
      message: `VM ${holder.vmid} on ${holder.host} has the MAC ${mac} of ${node}, but no mark of this cluster`,
      hint: `if it is ${node} with edited notes: remove that VM in Proxmox, or put the talosmith line back into its notes. If it is another machine: give it another MAC, or set mac: on ${node}`,
    });
  }

  async #read(c: Read, environment: string): Promise<Map<string, Holder>> {
    const holders = new Map<string, Holder>();
    const { all, machines, offline } = await this.#places.survey(c, environment);
    const marked = new Set([...machines.values()].map(({ vmid }) => vmid));
    const others = [...all.values()].filter(({ kind, vmid, host }) => kind === "vm" && !marked.has(vmid) && !offline.has(host));
    await Promise.all(
      others.map(async ({ vmid, host }) => {
        const config = await vmConfig(this.#client, host, vmid, c.signal).catch(unlessUnseen);
        // Users can remove the tag of a machine of ours, by which the survey finds it.
        if (!config || isOurs(readMark(config.next.description), vmid, environment, this.#cluster)) return;
        for (const [key, value] of Object.entries(config.next)) {
          if (/^net\d+$/.test(key)) holders.set(readNetworkCard(value).mac, { vmid, host });
        }
      }),
    );
    return holders;
  }
}

/** Ignores a VM that has just been removed or that the login may not see; other errors stop the run. */
function unlessUnseen(error: unknown): undefined {
  const refusal = refusalOf(error);
  if (refusal?.status !== 403 && !refusal?.reason.includes("does not exist")) throw error;
}
