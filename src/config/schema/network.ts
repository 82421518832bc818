import { planned } from "./planned.ts";
import { choice, list, section, text } from "./value.ts";
import * as words from "./words.ts";

export const network = section("The network all nodes are in.", {
  cidr: text({ about: "The nodes' network, IPv4.", example: "10.10.0.0/24", check: words.cidr }),
  gateway: text({ about: "The nodes' default gateway, inside cidr.", example: "10.10.0.1", check: words.ipv4 }),
  nameservers: list(text({ about: "A DNS server.", example: "10.10.0.1", check: words.ipv4 }), {
    about: "DNS servers of the nodes. By default the gateway.",
    example: "[10.10.0.1]",
    check: (items) =>
      items.length === 0
        ? { says: "is empty", hint: "remove it to use the gateway, or name a DNS server" }
        : words.noneTwice(items),
  }).optional(),
  via: choice({
    about: "How this computer reaches the nodes: direct when it can reach their addresses itself.",
    of: ["direct"],
    planned: { ssh: "use direct, from a computer that reaches the nodes' addresses itself (a VPN serves too)" },
    byDefault: "direct",
  }).optional(),
  ...planned.network,
});
