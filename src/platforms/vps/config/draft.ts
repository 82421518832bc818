import type * as z from "zod";
import type { Facts } from "../../../config/checks/facts.ts";
import type { DraftNode, Pool } from "../../../config/pools.ts";
import type { DeepPartial, Draft } from "../../../config/shape.ts";
import type { vps } from "./schema/section.ts";
import type { serverKeys, serverSettings } from "./schema/server.ts";

type Written<S extends z.core.$ZodLooseShape> = DeepPartial<z.output<z.ZodObject<S>>>;

/** A file of rented servers: keys of all platforms, and those of this one. */
export interface VpsDraft extends Draft {
  readonly vps?: DeepPartial<z.output<typeof vps>> | undefined;
}

type VpsNode = DraftNode & Written<typeof serverSettings> & Written<typeof serverKeys>;

export type VpsPool = Pool<VpsNode>;
export type VpsFacts = Facts<VpsDraft, VpsNode>;

export const onVps = (facts: Facts): VpsFacts => facts as VpsFacts;
export const vpsPool = (pool: Pool): VpsPool => pool as VpsPool;
