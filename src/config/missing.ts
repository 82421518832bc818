import { parseIp } from "@talosmith/lib/ip.ts";
import { find, type Path, pathName, shortPathName, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { leaves } from "./schema/value.ts";
import { schemaAt } from "./schema/walk.ts";

/** What to write for a key that must be there and is not. */
export function missingHint(path: Path, tree: Tree): string {
  const key = String(path.at(-1));
  if (pathName(path) === "proxmox.tls") return tlsHint(tree);
  if (pathName(path) === "firewall.admin" && isRented(tree)) return adminHint(tree);
  const schema = schemaAt(path);
  const example = schema === undefined ? undefined : leaves.get(schema)?.example;
  const line = example === undefined ? `${key}:` : `${key}: ${example}`;
  const parent = path.slice(0, -1);
  if (parent.length === 0) return `add it, as environments/proxmox-example/config.yaml shows:\n${line}`;
  return `add ${typeof parent.at(-1) === "number" ? "to this entry" : `under ${shortPathName(parent)}`}:\n${line}`;
}

/** Trust must not be left out, so finding the fingerprint has to be easy. */
function tlsHint(tree: Tree): string {
  const url = find(tree, ["proxmox", "url"]);
  const written = url?.kind === "scalar" ? String(url.value) : "";
  const parsed = URL.canParse(written) ? new URL(written) : undefined;
  const host = /^[\w.[\]:-]+$/.test(parsed?.hostname ?? "") ? parsed?.hostname : "HOST";
  const port = parsed?.port === "" || parsed === undefined ? "8006" : parsed.port;
  return [
    "add under proxmox:",
    'tls: { fingerprint: "AA:BB:…" }',
    "with the fingerprint that this prints:",
    `openssl s_client -connect ${host}:${port} </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256`,
    "the Proxmox UI shows it too: the host, System, Certificates, pve-ssl.pem, Fingerprint",
    "or write tls: { ca: FILE }, or tls: system when this computer trusts the certificate anyway",
  ].join("\n");
}

function isRented(tree: Tree): boolean {
  const platform = find(tree, ["platform"]);
  return platform?.kind === "scalar" && platform.value === "vps";
}

/** What a server sees of us is what its firewall will see, too. */
function adminHint(tree: Tree): string {
  const ip = find(tree, ["nodes", 0, "ip"]);
  const [address = ""] = ip?.kind === "scalar" ? String(ip.value).split("/") : [];
  return [
    "add the networks you work from:",
    "firewall:",
    "  admin: [198.51.100.7/32]",
    "this prints your own address, as a server sees it:",
    `ssh root@${parseIp(address) === undefined ? "SERVER" : address} 'echo \${SSH_CONNECTION%% *}'`,
    "or let everybody reach the APIs with firewall: { enabled: false }",
  ].join("\n");
}
