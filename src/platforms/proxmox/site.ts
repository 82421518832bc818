import type { ProxmoxNodeConfig } from "../../config/config.ts";
import type { Meter } from "../../lib/http/client.ts";
import type { World } from "../../lib/world/world.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { nocloudImage, type TalosImage } from "../../talos/image/image.ts";
import { ProxmoxClient } from "./client/client.ts";
import { Places } from "./places.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
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
  /** That the image factory has built them, by their names: asked at most once in a command. */
  built: Map<string, Promise<void>>;
  meter: Meter;
}

export function openSite(world: World, env: ProxmoxEnvironment, talos: TalosNodes): Site {
  const { proxmox, cluster, image } = env.config;
  const meter: Meter = { calls: 0, bytes: 0 };
  const client = new ProxmoxClient(world, proxmox, meter);
  return {
    env,
    talos,
    client,
    meter,
    places: new Places(client, env),
    strangers: new Strangers(client),
    imageOf: (node) => nocloudImage(cluster.talos, image, node.image),
    built: new Map(),
  };
}
