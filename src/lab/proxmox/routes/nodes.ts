import { X509Certificate } from "node:crypto";
import type { Json } from "../../../lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { fingerprintOf, hostFigures, hostStatus } from "../hosts.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_TEXT } from "../parameters/formats.ts";
import type { Property } from "../parameters/property.ts";
import { shuffled } from "../shuffle.ts";
import { type Host, hostNamed, seconds } from "../state.ts";
import { CPU_MODELS } from "../vm/hardware.ts";
import { type ApiCall, type Method, route } from "./route.ts";

function versionOf({ state }: ApiCall): Json {
  return { version: state.version, release: state.version.split(".").slice(0, 2).join("."), repoid: "7f1f8a2b3c4d5e6f" };
}

function list({ lab, state, caller }: ApiCall): Json {
  return shuffled(
    lab,
    "nodes",
    state.hosts.map((host) => ({
      node: host.name,
      type: "node",
      id: `node/${host.name}`,
      status: "online",
      ssl_fingerprint: fingerprintOf(host),
      ...(mayAt(state, caller, `/nodes/${host.name}`, "Sys.Audit") && hostFigures(lab, state, host)),
    })),
  );
}

/** The handler runs after the host was found. */
function hostOf({ state, node }: ApiCall): Host {
  return hostNamed(state, node) as Host;
}

const INTERFACES: Property = {
  type: "string",
  optional: true,
  enum: [
    "bridge",
    "bond",
    "eth",
    "alias",
    "vlan",
    "fabric",
    "OVSBridge",
    "OVSBond",
    "OVSPort",
    "OVSIntPort",
    "vnet",
    "any_bridge",
    "any_local_bridge",
    "include_sdn",
  ],
};

/** Bridges are shown to those who may use them; each has a card of its own behind it. */
function network(call: ApiCall): Json {
  const { state, caller, params } = call;
  const host = hostOf(call);
  const interfaces = host.bridges.flatMap((bridge, index) => {
    const card = `enp${index + 1}s0`;
    const path = `/sdn/zones/localnetwork/${bridge}`;
    const visible = mayAt(state, caller, path, "SDN.Audit") || mayAt(state, caller, path, "SDN.Use");
    const shown: { type: string; [key: string]: Json }[] = [
      {
        iface: card,
        type: "eth",
        active: 1,
        exists: 1,
        method: "manual",
        method6: "manual",
        families: ["inet"],
        priority: 2 * index + 3,
      },
    ];
    if (visible)
      shown.push({
        iface: bridge,
        type: "bridge",
        active: 1,
        autostart: 1,
        method: index === 0 ? "static" : "manual",
        method6: "manual",
        ...(index === 0 && { address: host.address, netmask: "24", cidr: `${host.address}/24` }),
        bridge_ports: card,
        bridge_stp: "off",
        bridge_fd: "0",
        bridge_vlan_aware: 1,
        bridge_vids: "2-4094",
        families: ["inet"],
        priority: 2 * index + 4,
      });
    return shown;
  });
  const wanted = params.type?.startsWith("any_") ? "bridge" : params.type;
  return interfaces.filter((one) => wanted === undefined || wanted === "include_sdn" || one.type === wanted);
}

function certificates(call: ApiCall): Json {
  const { tls } = hostOf(call);
  if (!tls) return [];
  const certificate = new X509Certificate(tls.certificate);
  return [
    {
      filename: "pve-ssl.pem",
      fingerprint: certificate.fingerprint256,
      subject: certificate.subject,
      issuer: certificate.issuer,
      notbefore: Math.floor(Date.parse(certificate.validFrom) / 1000),
      notafter: Math.floor(Date.parse(certificate.validTo) / 1000),
      pem: tls.certificate,
      "public-key-type": "id-ecPublicKey",
      "public-key-bits": 256,
    },
  ];
}

const ALL = { permission: { user: "all" } } as const;
const AUDIT = { permission: { privilege: ["/nodes/:node", "Sys.Audit"] } } as const;

export const nodeRoutes: Method[] = [
  route("GET", "/version", ALL, versionOf),
  route("GET", "/nodes", ALL, list),
  route("GET", "/nodes/:node/version", ALL, versionOf),
  route("GET", "/nodes/:node/status", AUDIT, (call) => hostStatus(call.lab, call.state, hostOf(call))),
  route("GET", "/nodes/:node/time", AUDIT, ({ lab }) => ({ timezone: "UTC", time: seconds(lab), localtime: seconds(lab) })),
  route("GET", "/nodes/:node/network", { ...ALL, parameters: { type: INTERFACES } }, network),
  route("GET", "/nodes/:node/certificates/info", ALL, certificates),
  route(
    "GET",
    "/nodes/:node/capabilities/qemu/cpu",
    { ...ALL, parameters: { arch: { type: "string", optional: true, enum: ["x86_64", "aarch64"] } } },
    ({ lab }) =>
      shuffled(
        lab,
        "cpu models",
        CPU_MODELS.map((model) => ({ ...model, custom: 0 })),
      ),
  ),
  route(
    "GET",
    "/nodes/:node/hardware/pci",
    {
      permission: { anyPrivilege: ["/", "Sys.Audit", "Sys.Modify"] },
      parameters: { "pci-class-blacklist": OPTIONAL_TEXT, verbose: OPTIONAL_BOOLEAN },
    },
    () => [],
  ),
];
