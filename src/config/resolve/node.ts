import { formatIp } from "@talosmith/lib/ip.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { gpuExtensions } from "../../catalog/gpu.ts";
import { type Facts, gpuOf } from "../checks/facts.ts";
import type { KernelModule, NodeConfig, NodeImageConfig, Texts, UserPatch } from "../config.ts";
import type { Patches } from "../patches/read-patches.ts";
import type { Pool, PoolNode } from "../pools.ts";
import { parseTaint } from "../schema/kubernetes-words.ts";
import { cardsOf } from "./cards.ts";
import { disksOf } from "./disks.ts";
import { canonical, defined, sure } from "./values.ts";

/** What the nodes of a pool have in common. */
export function commonOf(
  facts: Facts,
  pool: Pool,
  patches: Patches,
  redactor: Redactor,
): Omit<NodeConfig, "name" | "ip" | "secondIp"> {
  const { settings } = pool;
  const modules = new Map(
    pool
      .everywhere("kernelModules")
      .flatMap(({ value }) => value.map(moduleOf))
      .map((one) => [one.name, one]),
  );
  return {
    role: sure(pool.role),
    ...(settings.gateway !== undefined && { gateway: canonical(settings.gateway) }),
    ...cardsOf(pool),
    ...disksOf(pool, redactor),
    image: imageOf(facts, pool),
    ...defined({ gpu: gpuOf(facts, pool) }),
    labels: textsOf(pool, "labels"),
    annotations: textsOf(pool, "annotations"),
    taints: taintsOf(pool),
    sysctls: textsOf(pool, "sysctls"),
    kernelModules: [...modules.values()],
    kubeletMounts: [],
    patches: patchesOf(facts, pool, patches),
  };
}

/** What each of them has alone. */
export function ownOf(node: PoolNode): Pick<NodeConfig, "name" | "ip" | "secondIp"> {
  const [first, second] = node.addresses;
  return { name: sure(node.name), ip: formatIp(sure(first)), ...(second !== undefined && { secondIp: formatIp(second) }) };
}

function imageOf(facts: Facts, pool: Pool): NodeImageConfig {
  const { image, cluster } = facts.draft;
  const gpu = gpuOf(facts, pool);
  const each = (key: "extensions" | "kernelArgs") =>
    [...(image?.[key] ?? []), ...pool.everywhere(key).flatMap(({ value }) => value)].map(sure);
  const driver = gpu === undefined ? [] : gpuExtensions(gpu, sure(cluster?.talos));
  return {
    extensions: [...new Set([...each("extensions"), ...driver])].sort(),
    kernelArgs: [...new Set(each("kernelArgs"))],
    ...defined({ schematic: image?.schematic }),
  };
}

function textsOf(pool: Pool, key: "labels" | "annotations" | "sysctls"): Texts {
  const all = pool.everywhere(key).flatMap(({ value }) => Object.entries(value));
  return Object.fromEntries(all.map(([name, text]) => [name, String(sure(text))]));
}

/** Talos writes a taint as its key, and value and effect behind it. */
function taintsOf(pool: Pool): Texts {
  const all = pool
    .everywhere("taints")
    .flatMap(({ value }) => value)
    .map((taint) => {
      const { key, value, effect } = typeof taint === "string" ? sure(parseTaint(taint)) : sure(taint);
      return [sure(key), value === undefined ? sure(effect) : `${value}:${sure(effect)}`] as const;
    });
  return Object.fromEntries(all);
}

type WrittenModule = NonNullable<Pool["settings"]["kernelModules"]>[number];

function moduleOf(written: WrittenModule): KernelModule {
  const one = sure(written);
  return typeof one === "string"
    ? { name: one, parameters: [] }
    : { name: sure(one.name), parameters: one.parameters?.map(sure) ?? [] };
}

function patchesOf({ draft }: Facts, pool: Pool, patches: Patches): UserPatch[] {
  const groups = ["all", sure(pool.role)] as const;
  const lists = [
    ...groups.map((group) => ({ path: ["patches", group], value: draft.patches?.[group] ?? [] })),
    ...pool.everywhere("patches"),
  ];
  return lists.flatMap(({ path, value }) => value.map((_, index) => sure(patches.get(pathName([...path, index])))));
}
