import type { LabDoor, LabShape } from "../lab.ts";
import { disksFor } from "../lab-disks.ts";
import type { ConfigOnVps } from "./config/config-on-vps.ts";

/** One rented server for each node, in its rescue system, with an old system on the disk that the node names. */
export function labShape({ network, vps, nodes }: ConfigOnVps): LabShape {
  const rescue = nodes.map(
    ({ name, ssh }): LabDoor => ({
      host: ssh.host,
      port: ssh.port,
      service: "rescue",
      server: name,
      ...(ssh.firstKey && { anyKey: true }),
    }),
  );
  const { provider } = vps;
  const api: LabDoor[] = provider?.token === undefined ? [] : [{ ...hostOf(provider.url), service: "provider" }];
  const ssh: LabDoor[] = network.ssh ? [{ host: network.ssh.host, port: network.ssh.port, service: "ssh" }] : [];
  return {
    doors: [...rescue, ...api, ...ssh],
    servers: nodes.map((node) => ({
      name: node.name,
      address: node.ip,
      prefix: node.prefix,
      ...(node.gateway !== undefined && { gateway: node.gateway }),
      arch: node.arch ?? "amd64",
      cards: [...(node.bond?.macs ?? [node.mac]), ...node.nics.map(({ mac }) => mac)].filter((mac) => mac !== undefined),
      disks: disksFor(node),
    })),
  };
}

function hostOf(url: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) };
}
