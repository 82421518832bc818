import type { LabShape } from "../lab.ts";
import { disksFor } from "../lab-disks.ts";
import type { ConfigOnMetal } from "./config/config-on-metal.ts";

/** One machine for each node, waiting in maintenance mode at its address with the cards and disks that the node describes. */
export function labShape({ cluster, network, image, nodes }: ConfigOnMetal): LabShape {
  const { ssh } = network;
  return {
    doors: ssh ? [{ host: ssh.host, port: ssh.port, service: "ssh" }] : [],
    machines: nodes.map((node) => {
      const first = node.bond?.macs ?? [node.mac].filter((mac) => mac !== undefined);
      const cards = [...first, ...node.nics.flatMap(({ mac }) => mac ?? [])];
      return {
        name: node.name,
        address: node.ip,
        prefix: network.prefix,
        gateway: node.gateway ?? network.gateway,
        talos: cluster.talos,
        arch: image.arch,
        cards,
        disks: disksFor(node),
      };
    }),
  };
}
