import type { NatPlan } from "./nat.ts";

/** One interface of /etc/network/interfaces. */
export interface Interface {
  name: string;
  /** Its options, trimmed, in their order. */
  lines: string[];
}

export function interfacesIn(text: string): Interface[] {
  const found: Interface[] = [];
  let current: Interface | undefined;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const [word = "", name = ""] = line.split(/\s+/);
    if (word === "iface") {
      current = { name, lines: [] };
      found.push(current);
    } else if (/^(?:auto|allow-\S+|source\S*|mapping)$/.test(word)) current = undefined;
    else if (line !== "" && !line.startsWith("#")) current?.lines.push(line.replaceAll(/\s+/g, " "));
  }
  return found;
}

/** The options of the bridge, as in the example of Proxmox's manual. */
export function bridgeLines({ address, cidr }: NatPlan, out: string): string[] {
  const rule = (action: "-A" | "-D") => `iptables -t nat ${action} POSTROUTING -s '${cidr}' -o ${out} -j MASQUERADE`;
  return [
    `address ${address}/${cidr.split("/")[1]}`,
    "bridge-ports none",
    "bridge-stp off",
    "bridge-fd 0",
    "post-up echo 1 > /proc/sys/net/ipv4/ip_forward",
    `post-up ${rule("-A")}`,
    `post-down ${rule("-D")}`,
  ];
}

/** Appends a bridge and keeps the existing text byte for byte. The comment is inside the interface's block, so Proxmox keeps it when it rewrites the file. */
export function withBridge(text: string, plan: NatPlan, out: string): string {
  const gap = text === "" ? "" : text.endsWith("\n\n") ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  const lines = bridgeLines(plan, out).map((line) => `\t${line}\n`);
  return `${text}${gap}auto ${plan.bridge}\niface ${plan.bridge} inet static\n${lines.join("")}#talosmith: network of the nodes, with a way out\n`;
}
