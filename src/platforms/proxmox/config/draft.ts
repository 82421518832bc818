import type * as z from "zod";
import type { Facts } from "../../../config/checks/facts.ts";
import type { DraftNode, Pool } from "../../../config/pools.ts";
import type { DeepPartial, Draft } from "../../../config/shape.ts";
import type { card } from "./schema/card.ts";
import type { image } from "./schema/image.ts";
import type { proxmox } from "./schema/section.ts";
import type { node, settings } from "./schema/settings.ts";

type Written<S extends z.core.$ZodLooseShape> = DeepPartial<z.output<z.ZodObject<S>>>;
type Nic = NonNullable<NonNullable<DraftNode["nics"]>[number]>;

/** A file on Proxmox: keys of all platforms, and those of this one. */
interface ProxmoxDraft extends Draft {
  readonly proxmox?: DeepPartial<z.output<typeof proxmox>> | undefined;
  readonly image?: (NonNullable<Draft["image"]> & Written<typeof image>) | undefined;
}

type ProxmoxNode = Omit<DraftNode, "nics"> &
  Written<typeof settings> &
  Written<typeof node> & { nics?: ((Nic & Written<typeof card>) | undefined)[] | undefined };

export type ProxmoxPool = Pool<ProxmoxNode>;

export interface ProxmoxFacts extends Facts<ProxmoxDraft, ProxmoxNode> {
  readonly hosts: readonly string[] | undefined;
}

export function onProxmox(facts: Facts): ProxmoxFacts {
  const own = facts as Facts<ProxmoxDraft, ProxmoxNode>;
  const { host, hosts } = own.draft.proxmox ?? {};
  return { ...own, hosts: hosts?.filter((name) => name !== undefined) ?? (host === undefined ? undefined : [host]) };
}

export const proxmoxPool = (pool: Pool): ProxmoxPool => pool as ProxmoxPool;
