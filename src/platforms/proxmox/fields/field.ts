import type { Json } from "@talosmith/lib/json.ts";
import type { ConfigPath } from "../../../config/config.ts";
import type { VmConfig, VmOptions } from "../client/qemu.ts";
import type { MachineSpec } from "../machine.ts";

/**
 * When a running VM has a new value: `live` at once; `restart` after its next power cycle; with a kind of hotplug at once as long as that kind is
 * not switched off for the VM.
 */
export type TakesEffect = "live" | "restart" | "network" | "disk" | "usb";

/** What to set, what to take away, and of what to drop the change that waits for a power cycle, in one call. */
export interface Sending {
  readonly set?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
  readonly revert?: readonly string[];
}

/** One value of one VM. */
export interface FieldItem {
  /** What the plan calls it. */
  readonly path: string;
  /** The setting it follows from; absent for what no setting changes. */
  readonly setting?: ConfigPath;
  /** In the form people read; two spellings of the same thing read the same. */
  read(options: VmOptions): Json;
  readonly want: Json;
  /** Keeps what others have set inside the same value. */
  send(now: VmOptions): Sending;
  /** When this step from one value to another takes effect otherwise than its field. */
  readonly restart?: (from: Json, to: Json) => boolean;
  /** What is there now may be changed by root alone. */
  readonly rootOnly?: (now: VmOptions) => boolean;
}

/** One thing we manage about VMs, as the reference page lists it. */
export interface MachineField {
  readonly name: string;
  /** Where the config says it. */
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

/** An option that is a plain word, sent as it is read; undefined takes it away, and is what `absent` says. */
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
