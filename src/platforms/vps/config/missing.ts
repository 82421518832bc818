import { parseIp } from "@talosmith/lib/ip.ts";
import { find, type Path, pathName, type Tree } from "@talosmith/lib/yaml/tree.ts";

export function missing(path: Path, tree: Tree): string | undefined {
  return pathName(path) === "firewall.admin" ? adminHint(tree) : undefined;
}

/** The hint shows how to find one's own address as a server sees it, because the firewall sees the same address. */
function adminHint(tree: Tree): string {
  const ip = find(tree, ["nodes", 0, "ip"]);
  const [address = ""] = ip?.kind === "scalar" ? String(ip.value).split("/") : [];
  return [
    "add the networks you work from:",
    "firewall:",
    "  admin: [198.51.100.7/32]",
    "this prints your own address as a server sees it:",
    `ssh root@${parseIp(address) === undefined ? "SERVER" : address} 'echo \${SSH_CONNECTION%% *}'`,
    "or let anyone reach the APIs with firewall: { enabled: false }",
  ].join("\n");
}
