import type { Meter } from "@talosmith/lib/http/client.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { nocloudImage, type TalosImage } from "../../talos/image/image.ts";
import { ProxmoxClient } from "./client/client.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { ImageRecords } from "./image-records.ts";
import { ImageSupply } from "./image-supply.ts";
import { Places } from "./places.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import { advisorFor } from "./rights/advice.ts";
import { Strangers } from "./strangers.ts";

/** One Proxmox, as this environment sees it. */
export interface Site {
  env: ProxmoxEnvironment;
  client: ProxmoxClient;
  places: Places;
  strangers: Strangers;
  /** What a node's disk is made from; nodes with equal wishes have the same one. */
  imageOf(node: ProxmoxNodeConfig): TalosImage;
  /** What runs on the machines: control planes are not restarted behind etcd's back. */
  talos: TalosNodes;
  /** Where images come from, and what is remembered of those that were brought to hosts. */
  supply: ImageSupply;
  records: ImageRecords;
  meter: Meter;
}

export function openSite(world: World, env: ProxmoxEnvironment, talos: TalosNodes): Site {
  const { proxmox, cluster, image } = env.config;
  const meter: Meter = { calls: 0, bytes: 0 };
  const client = new ProxmoxClient(world, proxmox, meter);
  client.advisor = advisorFor(client, env.config);
  return {
    env,
    talos,
    client,
    meter,
    places: new Places(client, env),
    strangers: new Strangers(client, env.config.cluster.name),
    imageOf: (node) => nocloudImage(cluster.talos, image, node.image),
    supply: new ImageSupply(env, meter),
    records: new ImageRecords(env.folder),
  };
}
