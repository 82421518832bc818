import type { NetworkConfig, NodeConfig } from "../../config/config.ts";
import type { ConfigDocument } from "./document.ts";

/** What makes a node's config differ from its role's base config. */
export interface NodeInput extends Pick<NodeConfig, "name" | "role" | "ip" | "installDisk"> {
  readonly network: Pick<NetworkConfig, "prefix" | "gateway" | "nameservers">;
  /** Of its network card, in either case; without it nothing is said about its network. */
  readonly mac?: string | undefined;
  /** The address that floats between the control planes. */
  readonly vip?: string | undefined;
  readonly baseInstallDisk: string;
}

/** Our name for the card, whatever the kernel calls it. */
const LINK = "net0";

/** patch-<node>.yaml */
export function nodePatch(input: NodeInput): ConfigDocument[] {
  const { name, installDisk, baseInstallDisk, mac } = input;
  return [
    ...(installDisk === baseInstallDisk ? [] : [{ machine: { install: { disk: installDisk } } }]),
    // Beside the base's "stable" Talos refuses a hostname, so that is taken back here.
    { ...head("HostnameConfig"), auto: "off", hostname: name },
    ...(mac === undefined ? [] : networkDocuments(input, mac)),
  ];
}

/** A link that is configured stops DHCP on every link: so the address and the way out are all said here. */
function networkDocuments({ role, ip, network, vip }: NodeInput, mac: string): ConfigDocument[] {
  const { prefix, gateway, nameservers } = network;
  return [
    { ...head("LinkAliasConfig"), name: LINK, selector: { match: `mac(link.permanent_addr) == "${mac.toLowerCase()}"` } },
    { ...head("LinkConfig"), name: LINK, up: true, addresses: [{ address: `${ip}/${prefix}` }], routes: [{ gateway }] },
    ...(nameservers.length === 0
      ? []
      : [{ ...head("ResolverConfig"), nameservers: nameservers.map((address) => ({ address })) }]),
    ...(vip === undefined || role === "worker" ? [] : [{ ...head("Layer2VIPConfig"), name: vip, link: LINK }]),
  ];
}

function head(kind: string): { apiVersion: string; kind: string } {
  return { apiVersion: "v1alpha1", kind };
}
