import type { Read } from "../../engine/step.ts";
import { type TalosmithError, userError } from "../../lib/errors.ts";
import type { ProxmoxClient } from "./client/client.ts";
import { vmConfig, vmsOfCluster } from "./client/qemu.ts";
import { readMark } from "./mark.ts";
import { readNetworkCard } from "./property-string.ts";

interface Holder {
  vmid: number;
  host: string;
}

/**
 * A VM that has the MAC of a machine we are about to make, but not our mark, is most likely that machine with its notes edited.
 * Making a second one would put two nodes on one address, so the run stops.
 */
export class Strangers {
  readonly #client: ProxmoxClient;
  /** Every config is read for this, so once for a command, and only when something is to be made. */
  #cards: Promise<Map<string, Holder>> | undefined;

  constructor(client: ProxmoxClient) {
    this.#client = client;
  }

  async with(c: Read, mac: string, node: string): Promise<TalosmithError | undefined> {
    this.#cards ??= this.#read(c);
    const holder = (await this.#cards).get(mac);
    return (
      holder &&
      userError("MAC_IN_USE", {
        message: `VM ${holder.vmid} on ${holder.host} has the MAC ${mac} that belongs to ${node}, but not our mark`,
        hint: `if it is ${node} with edited notes: remove that VM in Proxmox, or put the talosmith line back into its notes. If it is another machine: give it another MAC, or set mac: on ${node}`,
      })
    );
  }

  async #read(c: Read): Promise<Map<string, Holder>> {
    const holders = new Map<string, Holder>();
    const all = (await vmsOfCluster(this.#client, c.signal)).filter((vm) => vm.kind === "vm");
    await Promise.all(
      all.map(async ({ vmid, host }) => {
        // One that cannot be read (just gone, or not ours to see) cannot be asked.
        const config = await vmConfig(this.#client, host, vmid, c.signal).catch(() => undefined);
        if (!config || readMark(config.next.description)?.vm === vmid) return;
        for (const [key, value] of Object.entries(config.next)) {
          if (/^net\d+$/.test(key)) holders.set(readNetworkCard(value).mac, { vmid, host });
        }
      }),
    );
    return holders;
  }
}
