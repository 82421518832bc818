import type { Secret } from "@talosmith/lib/secret.ts";
import type * as z from "zod";
import type { ClusterFacts } from "../../../catalog/addons/addon.ts";
import { proxmoxCcm } from "../../../catalog/addons/proxmox-ccm.ts";
import { proxmoxCsi } from "../../../catalog/addons/proxmox-csi.ts";
import type { Facts } from "../../../config/checks/facts.ts";
import type { PlatformAddon } from "../../../config/platform.ts";
import { chartOptions, type Telling } from "../../../config/resolve/addons/preset-options.ts";
import { defined, sure } from "../../../config/resolve/values.ts";
import type { DeepPartial } from "../../../config/shape.ts";
import { onProxmox } from "./draft.ts";
import * as schema from "./schema/addons.ts";

/** A driver's section of the file. */
type Told<S extends z.ZodType> = Exclude<NonNullable<DeepPartial<z.output<S>>>, boolean>;
export type ToldCsi = Told<typeof schema.proxmoxCsi>;

/** Proxmox's drivers inside of the cluster. */
export const addons: Readonly<Record<string, PlatformAddon>> = {
  proxmoxCcm: {
    schema: schema.proxmoxCcm,
    make(told, telling, cluster, facts) {
      const { token, region } = told as Told<typeof schema.proxmoxCcm>;
      const own = { token: tokenOf(sure(token), telling), ...defined({ region }) };
      return proxmoxCcm.make(
        { ...own, ...chartOptions(told, ["addons", "proxmoxCcm"], telling.tree) },
        onCluster(cluster, facts),
      );
    },
  },
  proxmoxCsi: {
    schema: schema.proxmoxCsi,
    make(told, telling, cluster, facts) {
      const { token, region, classes } = told as ToldCsi;
      const own = {
        token: tokenOf(sure(token), telling),
        ...defined({ region }),
        classes: sure(classes).map((written) => {
          const { name, storage, reclaim, default: isDefault } = sure(written);
          return { name: sure(name), storage: sure(storage), ...defined({ reclaim, default: isDefault }) };
        }),
      };
      return proxmoxCsi.make(
        { ...own, ...chartOptions(told, ["addons", "proxmoxCsi"], telling.tree) },
        onCluster(cluster, facts),
      );
    },
    defaultClasses: (told) =>
      ((told as ToldCsi).classes ?? []).flatMap((one, index) => (one?.default === true ? [["classes", index, "default"]] : [])),
  },
};

/** Adds the facts about Proxmox that the drivers need. */
function onCluster(cluster: ClusterFacts, facts: Facts): ClusterFacts {
  const { draft, hosts } = onProxmox(facts);
  const { url, tls } = sure(draft.proxmox);
  const trusted = tls === "system" ? "system" : "other";
  return { ...cluster, proxmox: { url: new URL(sure(url)).origin, trusted, hosts: [...sure(hosts)] } };
}

/** Its name and its secret travel apart, too. */
function tokenOf(token: string, { redactor }: Telling): Secret {
  redactor.learn(token.slice(token.indexOf("=") + 1));
  return redactor.secret(token);
}
