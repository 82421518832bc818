import { X509Certificate } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { SHUTDOWN_HOST } from "../host-power.ts";
import { fingerprintOf, hostListing, hostStatus } from "../hosts.ts";
import { OPTIONAL_TEXT } from "../parameters/formats.ts";
import type { Property } from "../parameters/property.ts";
import { releaseOf } from "../release.ts";
import { shuffled } from "../shuffle.ts";
import { type Host, hostNamed } from "../state.ts";
import { CPU_MODELS } from "../vm/hardware.ts";
import { type ApiCall, type Method, route } from "./route.ts";

function versionOf({ state }: ApiCall): Json {
  const { version, repoid } = releaseOf(state);
  return { version, release: version.split(".").slice(0, 2).join("."), repoid };
}

function list({ lab, state, caller }: ApiCall): Json {
  return shuffled(
    lab,
    "nodes",
    state.hosts.map((host) => ({ ...hostListing(lab, state, caller, host), ssl_fingerprint: fingerprintOf(host) })),
  );
}

/** The host of a call. Handlers run after the host was found. */
function hostOf({ state, node }: ApiCall): Host {
  return hostNamed(state, node) as Host;
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

const MACHINES_8 = ["9.2", "9.1", "9.0", "8.2", "8.1", "8.0", "7.2", "7.1", "7.0", "6.2"];
const MACHINES_9 = ["11.0", "10.2", "10.1", "10.0", ...MACHINES_8];

/** Newest first; Proxmox's own revisions come before the versions they are based on. */
function machineTypes({ state }: ApiCall): Json {
  const versions = releaseOf(state).major === 9 ? MACHINES_9 : MACHINES_8;
  const types = [
    ["q35", "pc-q35-"],
    ["i440fx", "pc-i440fx-"],
  ] as const;
  return types.flatMap(([type, prefix]) =>
    versions.flatMap((version) => {
      const revised = ["9.2", "10.0", "10.1"].includes(version) ? [`${version}+pve1`] : [];
      return [...revised, version].map((one) => ({ id: `${prefix}${one}`, type, version: one }));
    }),
  );
}

/** POST /nodes/{n}/status: the response is sent before the host shuts down. */
function shutDown({ lab, node, params }: ApiCall): Json {
  lab.schedule(SHUTDOWN_HOST, 1000, { host: node, reboot: params.command === "reboot" });
  return null;
}

const ALL = { permission: { user: "all" } } as const;
const AUDIT = { permission: { privilege: ["/nodes/:node", "Sys.Audit"] } } as const;
const ARCH: Property = { type: "string", optional: true, enum: ["x86_64", "aarch64"] };
const INDEX = [
  "apt",
  "capabilities",
  "certificates",
  "config",
  "dns",
  "hardware",
  "hosts",
  "network",
  "qemu",
  "status",
  "storage",
  "tasks",
  "time",
  "version",
];

export const nodeRoutes: Method[] = [
  route("GET", "/version", ALL, versionOf),
  route("GET", "/nodes", ALL, list),
  route("GET", "/nodes/:node", ALL, () => INDEX.map((name) => ({ name }))),
  route("GET", "/nodes/:node/version", ALL, versionOf),
  route("GET", "/nodes/:node/status", AUDIT, (call) => hostStatus(call.lab, call.state, hostOf(call))),
  route(
    "POST",
    "/nodes/:node/status",
    {
      permission: { privilege: ["/nodes/:node", "Sys.PowerMgmt"] },
      parameters: { command: { type: "string", enum: ["reboot", "shutdown"] } },
    },
    shutDown,
  ),
  route(
    "GET",
    "/nodes/:node/config",
    { permission: { privilege: ["/", "Sys.Audit"] }, parameters: { property: OPTIONAL_TEXT } },
    () => ({
      digest: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    }),
  ),
  route("GET", "/nodes/:node/subscription", ALL, ({ state, caller, params }) => ({
    status: "notfound",
    message: "There is no subscription key",
    ...(mayAt(state, caller, `/nodes/${params.node}`, "Sys.Audit") && { url: "https://www.proxmox.com/proxmox-ve/pricing" }),
  })),
  route("GET", "/nodes/:node/certificates/info", ALL, certificates),
  route("GET", "/nodes/:node/capabilities/qemu/cpu", { ...ALL, parameters: { arch: ARCH } }, ({ lab }) =>
    shuffled(
      lab,
      "cpu models",
      CPU_MODELS.map((model) => ({ ...model, custom: 0 })),
    ),
  ),
  route("GET", "/nodes/:node/capabilities/qemu/machines", { ...ALL, parameters: { arch: ARCH } }, machineTypes),
];
