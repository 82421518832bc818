import { type Cidr, parseCidr, parseIpv4 } from "../../lib/cidr.ts";
import type { Path } from "../../lib/yaml/tree.ts";
import { type Pool, poolsOf } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Draft } from "../shape.ts";

/** What checks look at. Whatever the file does not say, or says wrongly, is undefined. */
export interface Facts {
  readonly draft: Draft;
  readonly pools: readonly Pool[];
  readonly cidr: Cidr | undefined;
  readonly gateway: number | undefined;
  readonly hosts: readonly string[] | undefined;
}

export type Check = (facts: Facts, report: Report) => void;

export function factsOf(draft: Draft): Facts {
  const { cidr, gateway } = draft.network ?? {};
  const { host, hosts } = draft.proxmox ?? {};
  return {
    draft,
    pools: poolsOf(draft),
    cidr: cidr === undefined ? undefined : parseCidr(cidr),
    gateway: gateway === undefined ? undefined : parseIpv4(gateway),
    hosts: hosts?.filter((name) => name !== undefined) ?? (host === undefined ? undefined : [host]),
  };
}

/** Every place where a setting of nodes can stand. */
export function placesOfSetting({ draft }: Facts, key: string): Path[] {
  return [
    ...["all", "controlplane", "worker"].map((group) => ["defaults", group, key]),
    ...(draft.nodes ?? []).map((_, index) => ["nodes", index, key]),
  ];
}
