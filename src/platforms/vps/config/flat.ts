import { parseIp } from "@talosmith/lib/ip.ts";
import { type Entry, find, type MapTree, type Path } from "@talosmith/lib/yaml/tree.ts";
import type { FlatSpelling } from "../../../config/spellings/flat-spelling.ts";
import { made } from "../../../config/spellings/flat-values.ts";

const ENDPOINT: Path = ["cluster", "endpoint"];

export const flat: FlatSpelling = {
  keys: {
    cluster_endpoint: { to: ENDPOINT, example: "k8s.example.com" },
    vps_provider: { to: ["vps", "provider"], example: "hetzner" },
    vps_ssh_user: { to: ["vps", "ssh", "user"], example: "root" },
    vps_ssh_port: { to: ["vps", "ssh", "port"], example: "22" },
    vps_ssh_key: { to: ["vps", "ssh", "key"], example: "~/.ssh/id_ed25519" },
    vps_ssh_host_key: { to: ["vps", "ssh", "hostKey"], example: '"SHA256:…"' },
  },
  required: ["platform", "talos_version", "cluster_name", "controlplane_nodes", "admin_networks"],
  instead: {
    cluster_vip:
      "remove it: no address floats between rented servers; cluster_endpoint may be a DNS name or a load balancer; by default it is the first control plane's address",
  },
  made(file) {
    if (file.entries.has("cluster_endpoint")) return { entries: [] };
    const endpoint = firstAddress(file);
    return endpoint === undefined ? { entries: [], silent: [ENDPOINT] } : { entries: [[ENDPOINT, endpoint]] };
  },
};

/** Where a rented cluster is reached, unless that is said: at its first control plane. Nothing when that has no address, which is reported. */
function firstAddress(flat: MapTree): Entry | undefined {
  const ip = find(flat, ["controlplane_nodes", 0, "ip"]);
  const first = ip?.kind === "list" ? ip.items[0] : ip;
  if (first?.kind !== "scalar") return undefined;
  const [address = ""] = String(first.value).split("/");
  return parseIp(address) === undefined
    ? undefined
    : { key: first.at, value: made([first], (text) => text.replace(/\/.*$/, "")) };
}
