import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Path, Tree } from "@talosmith/lib/yaml/tree.ts";
import type * as z from "zod";
import type { Addon, ClusterFacts } from "../catalog/addons/addon.ts";
import type { Facts } from "./checks/facts.ts";
import type { Gpu, ImageConfig, NodeConfig } from "./config.ts";
import type { Pool, PoolNode } from "./pools.ts";
import type { Reading } from "./reading.ts";
import type { Report } from "./report.ts";
import type { Telling } from "./resolve/addons/preset-options.ts";
import type { FlatSpelling } from "./spellings/flat-spelling.ts";

/** The platforms of configs, in the order in which messages list them. */
export interface Platforms {
  readonly available: readonly ConfigPlatform[];
  /** Hints for platforms that are planned, by name. */
  readonly planned: Readonly<Record<string, string>>;
}

/** Everything about a platform that is configuration. Nothing else in this folder knows one platform from another. */
export interface ConfigPlatform {
  /** As in `platform: NAME`. */
  readonly name: string;
  /** How its machines come to be, as a verb phrase after its name: "creates virtual machines". */
  readonly about: string;
  readonly talosPlatform: ImageConfig["talosPlatform"];
  readonly machines: MadeMachines | ExistingMachines;
  /**
   * "one": all nodes are in one network and no other machines are, so that an address can float between them. "provider": each node is where its provider
   * has put it, on the Internet, beside machines of others.
   */
  readonly network: "one" | "provider";
  /** Why the gateway must be inside of the nodes' network; `always`: a node's own gateway, too. */
  readonly gatewayInside?: { readonly because: string; readonly always?: true };
  readonly keys?: PlatformKeys;
  readonly addons?: Readonly<Record<string, PlatformAddon>>;
  readonly flat?: FlatSpelling;
  readonly reference?: PlatformReference;
  /** Paths of its login's secrets, in either format; the first is the one that talosmith can create. */
  readonly login?: readonly Path[];
  /** Missing keys that are required only in some cases, such as one of several alternatives. */
  needs?(tree: Tree): readonly Path[];
  /** A hint for a missing key, when its example is not enough. */
  missing?(path: Path, tree: Tree): string | undefined;
  check?(facts: Facts, report: Report): void;
  /** Where `via: ssh` logs in unless the file says it; without this the file must. */
  sshHost?(facts: Facts): string;
  /** Reads the files that its settings name, and reports what is wrong with them. What it returns is called only for a file without problems. */
  read?(facts: Facts, reading: Reading): (redactor: Redactor) => Finished;
  /** Where a value of the finished config is written, when it is not where its name says; `pool`: the value is one of a node's. */
  place?(path: Path, facts: Facts, tree: Tree, pool: Pool | undefined): Path | undefined;
}

/** Facts about machines that talosmith creates. */
export interface MadeMachines {
  readonly kind: "made";
  /** The GPUs among a pool's passed-through devices. */
  gpus(pool: Pool): readonly { readonly path: Path; readonly gpu: Gpu }[];
  hasTpm(pool: Pool): boolean;
  /** The user volumes that take a disk of their own, by name; undefined for one that could not be read. */
  volumes(pool: Pool): readonly (string | undefined)[];
}

/** Machines that exist already, for which the config has no settings that describe a new one. */
export interface ExistingMachines {
  readonly kind: "existing";
  /** How Talos gets onto them, as advice: "start the machines from …". */
  readonly image: string;
}

type Shape = Readonly<Record<string, z.ZodType>>;

/** Keys that a platform adds to the file, and keys that it refuses. */
export interface PlatformKeys {
  /** At the top; one that is not optional must be there. */
  readonly sections?: Shape;
  /** Settings of nodes, in `nodes` or under `defaults`. */
  readonly settings?: Shape;
  /** Keys of an entry of `nodes` only. */
  readonly node?: Shape;
  /** Keys of an entry of `nics`. */
  readonly nics?: Shape;
  readonly image?: Shape;
  /** Sentences about keys of all platforms, by path, for the JSON Schema and the reference: { "network.cidr": "On …" }. */
  readonly notes?: Readonly<Record<string, string>>;
  /** Settings of nodes that every platform has but this, with what to do instead. */
  readonly without?: Readonly<Record<string, string>>;
  /** Hints for its own keys on another platform, when removing them is not all there is to do: { "nics[].vlan": "write …" }. */
  readonly instead?: Readonly<Record<string, string>>;
}

/** A preset for `addons` that only one platform has. */
export interface PlatformAddon {
  readonly schema: z.ZodType;
  /** `told`: the section of the file. */
  make(told: object, telling: Telling, cluster: ClusterFacts, facts: Facts): Addon;
  /** Where that section makes a storage class the default. */
  defaultClasses?(told: object): readonly Path[];
}

/** A part of the reference: where it is in the file, and what is said above its table when that is not what the section says of itself. */
export type ReferencePart = readonly [path: Path, intro?: string];

export interface PlatformReference {
  /** Its sections, and the sections inside of them. */
  readonly sections?: readonly ReferencePart[];
  /** Its settings of nodes that are sections themselves. */
  readonly settings?: readonly ReferencePart[];
  readonly addons?: readonly ReferencePart[];
  /** Its own chapter, below the heading. */
  readonly rules: string;
}

/** A platform's part of the finished config. */
export interface Finished {
  /** Sections of its own, by name. */
  readonly sections?: object;
  /** Keys it adds to `image`. */
  readonly image?: object;
  /** Called once per pool; the returned function is called for each of its nodes. */
  pool?(pool: Pool): (node: NodeConfig, of: PoolNode, offset: number) => NodeConfig;
}

export const makesMachines = (platform: ConfigPlatform | undefined): boolean => platform?.machines.kind !== "existing";
