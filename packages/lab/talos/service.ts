import type { Service } from "../kernel/kernel.ts";
import type { Guests } from "../proxmox/vm/guests.ts";
import { admits } from "./admission.ts";
import { talosDoors } from "./api/doors.ts";
import { guests } from "./guests.ts";
import { begin } from "./machine/boot.ts";
import { type MetalMachine, metalMedium, newMetal } from "./machine/metal.ts";
import { transitions } from "./machine/transitions.ts";
import { nodeViews } from "./nodes.ts";
import { refusals } from "./refusals.ts";
import { settle } from "./settle.ts";
import { SERVICE, type TalosState, talosState } from "./state.ts";
import { strikes } from "./strikes.ts";
import type { TalosLab } from "./view.ts";

export type { MetalMachine };

export interface TalosOptions {
  /** Machines that exist from the start, besides those of Proxmox. */
  metal?: readonly MetalMachine[];
}

/** All simulated Talos machines: VMs of Proxmox, metal machines and rented servers. */
export function talosService(options: TalosOptions = {}): Service & TalosLab & Guests {
  const { doors, behind } = talosDoors();
  return {
    name: SERVICE,
    initial: (lab): TalosState => ({
      machines: Object.fromEntries((options.metal ?? []).map((metal) => newMetal(lab, metal)).map((metal) => [metal.key, metal])),
      disks: {},
      etcd: {},
      bootstraps: [],
      told: "",
    }),
    transitions: {
      ...transitions,
      [SWITCH_ON]: (lab) => {
        const state = talosState(lab);
        for (const machine of Object.values(state.machines)) {
          const medium = machine.boot || machine.vmid !== undefined ? undefined : metalMedium(state, machine);
          if (medium) begin(lab, machine, medium);
        }
        settle(lab);
      },
    },
    endpoints: async (lab) => {
      // Metal machines start with the lab; a restored lab has them in its state already.
      if ((options.metal ?? []).length > 0) lab.turn(() => lab.schedule(SWITCH_ON, 0, {}));
      return [];
    },
    doors,
    behind,
    admits,
    strikes,
    refusals,
    nodes: nodeViews,
    ...guests,
  };
}

const SWITCH_ON = "talos.switch-on";
