import type { Json } from "@talosmith/lib/json.ts";
import type { ConfigPath } from "../../../config/config.ts";
import type { VmConfig, VmOptions } from "../client/qemu.ts";
import type { MachineSpec } from "../machine.ts";

/**
 * When a new value takes effect in a running VM: `live` at once; `restart` after its next power cycle; a kind of hotplug at once, unless that kind is
 * switched off for the VM.
 */
export type TakesEffect = "live" | "restart" | "network" | "disk" | "usb";

/** The options of one call: those to set, to remove, and to revert to the value before a pending change. */
export interface Sending {
  readonly set?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
  readonly revert?: readonly string[];
}

/** One value of one VM. */
export interface FieldItem {
  /** Its name in the plan. */
  readonly path: string;
  /** The setting that determines it; absent when there is none. */
  readonly setting?: ConfigPath;
  /** The value in readable form; equal for all spellings of the same value. */
  read(options: VmOptions): Json;
  readonly want: Json;
  /** Keeps unmanaged parts of the same value. */
  send(now: VmOptions): Sending;
  /** Whether this change of the value takes a restart, when it differs from the field's other changes. */
  readonly restart?: (from: Json, to: Json) => boolean;
  /** Whether only root may change the present value. */
  readonly rootOnly?: (now: VmOptions) => boolean;
}

/** A managed field of VMs, as the reference page lists it. */
export interface MachineField {
  readonly name: string;
  /** The setting in the config. */
  readonly config: string;
  readonly readsBack: string;
  readonly takesEffect: TakesEffect;
  /** One for most fields; one for each card, disk or device for others. */
  items(spec: MachineSpec, now: VmConfig): readonly FieldItem[];
}

type About = Pick<MachineField, "config" | "readsBack" | "takesEffect">;

/** The first setting that a field's `config` names: "nodes[].cpu", "network.nameservers". */
function settingIn(config: string, node: string): { setting?: ConfigPath } {
  const [, ofNode, section, key] = /^(?:nodes\[\]\.(\w+)|(\w+)\.(\w+)$)/.exec(config) ?? [];
  if (ofNode !== undefined) return { setting: ["nodes", node, ofNode] };
  return section === undefined || key === undefined ? {} : { setting: [section, key] };
}

/** A field that every VM has once. */
export function field(
  name: string,
  about: About,
  item: {
    read(options: VmOptions, spec: MachineSpec): Json;
    want(spec: MachineSpec): Json;
    send(spec: MachineSpec, now: VmOptions): Sending;
    restart?: FieldItem["restart"];
    rootOnly?(spec: MachineSpec, now: VmOptions): boolean;
  },
): MachineField {
  const { read, want, send, restart, rootOnly } = item;
  return {
    name,
    ...about,
    items: (spec) => [
      {
        path: name,
        ...settingIn(about.config, spec.node.name),
        read: (options) => read(options, spec),
        want: want(spec),
        send: (now) => send(spec, now),
        ...(restart && { restart }),
        ...(rootOnly && { rootOnly: (now: VmOptions) => rootOnly(spec, now) }),
      },
    ],
  };
}

/** A field for an option that is a plain word, sent as it is read; undefined removes it, and reads as `absent`. */
export function word(
  option: string,
  about: About,
  absent: string,
  want: (spec: MachineSpec) => string | undefined,
  rootOnly?: (spec: MachineSpec, now: VmOptions) => boolean,
  name = option,
): MachineField {
  return field(name, about, {
    read: (options) => options[option] ?? absent,
    want: (spec) => want(spec) ?? absent,
    send: (spec) => setOrUnset(option, want(spec)),
    ...(rootOnly && { rootOnly }),
  });
}

export function setOrUnset(option: string, value: string | undefined): Sending {
  return value === undefined ? { unset: [option] } : { set: { [option]: value } };
}

export function flagText(on: boolean): string {
  return on ? "1" : "0";
}
