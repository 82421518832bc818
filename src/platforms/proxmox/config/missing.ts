import { find, type Path, pathName, type Tree } from "@talosmith/lib/yaml/tree.ts";

export function missing(path: Path, tree: Tree): string | undefined {
  return pathName(path) === "proxmox.tls" ? tlsHint(tree) : undefined;
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
    "or write tls: { ca: FILE }, or tls: system when this computer already trusts the certificate",
  ].join("\n");
}
