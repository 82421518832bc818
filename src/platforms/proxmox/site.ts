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

/** The Proxmox of an environment, with the services that its steps share. */
export interface Site {
  env: ProxmoxEnvironment;
  client: ProxmoxClient;
  places: Places;
  strangers: Strangers;
  /** The image of a node's disk; nodes with equal settings share one. */
  imageOf(node: ProxmoxNodeConfig): TalosImage;
  /** The Talos nodes on the machines: control planes are restarted only with etcd's health in view. */
  talos: TalosNodes;
  /** The source of images, with the records of those on hosts. */
  supply: ImageSupply;
  records: ImageRecords;
  meter: Meter;
}

export function openSite(world: World, env: ProxmoxEnvironment, talos: TalosNodes): Site {
  const { proxmox, cluster, image } = env.config;
  const meter: Meter = { calls: 0, bytes: 0 };
  const client = new ProxmoxClient(world, proxmox, meter);
  client.advisor = advisorFor(client, env.config);
  const places = new Places(client, env);
  return {
    env,
    talos,
    client,
    meter,
    places,
    strangers: new Strangers(client, places, env.config.cluster.name),
    imageOf: (node) => nocloudImage(cluster.talos, image, node.image),
    supply: new ImageSupply(env, meter),
    records: new ImageRecords(env.folder),
  };
}
