import { planned } from "./planned.ts";
import { choice, list, section, text, whole } from "./value.ts";
import * as words from "./words.ts";

const ssh = section("Where via: ssh logs in.", {
  host: text({
    about: "Host that reaches the nodes. By default the one in proxmox.url; on metal it must be given.",
    example: "192.168.122.70",
    check: words.hostAlone,
  }).optional(),
  port: whole({ about: "Port of its SSH server.", example: "22", from: 1, to: 65_535, byDefault: 22 }).optional(),
  user: text({
    about: "Who to log in as.",
    example: "root",
    byDefault: "root",
    pattern: words.LOGIN,
    check: words.login,
  }).optional(),
  key: text({
    about: `File with the private key, or \${env:NAME} or \${file:PATH} that hold the key itself. By default the SSH agent's keys, then the usual files in ~/.ssh.`,
    example: "~/.ssh/id_ed25519",
  }).optional(),
  hostKey: text({
    about: "The host's key: its SHA256 fingerprint, or the public key in full. By default what ~/.ssh/known_hosts says.",
    example: '"SHA256:…"',
    check: words.hostKey,
  }).optional(),
});

export const network = section("The network all nodes are in.", {
  cidr: text({ about: "The nodes' network, IPv4.", example: "10.10.0.0/24", check: words.cidr }),
  gateway: text({
    about: "The nodes' default gateway, inside cidr. On metal only nodes with a mac are told.",
    example: "10.10.0.1",
    check: words.ipv4,
  }),
  nameservers: list(text({ about: "A DNS server.", example: "10.10.0.1", check: words.ipv4 }), {
    about: "DNS servers of the nodes. By default the gateway.",
    example: "[10.10.0.1]",
    check: (items) =>
      items.length === 0
        ? { says: "is empty", hint: "remove it to use the gateway, or name a DNS server" }
        : words.noneTwice(items),
  }).optional(),
  via: choice({
    about: "How this computer reaches the nodes: direct when it can reach their addresses itself, ssh through a host that can.",
    of: ["direct", "ssh"],
    byDefault: "direct",
  }).optional(),
  ssh: ssh.optional(),
  ...planned.network,
});
