import { find, type MapTree } from "@talosmith/lib/yaml/tree.ts";
import type { Problem } from "../findings.ts";
import { nearest } from "../nearest.ts";
import type { Normalised } from "./flat.ts";
import { FLAT_KEYS, flatPlatform, isElsewhere } from "./flat-keys.ts";

const LISTS = ["controlplane_nodes", "worker_nodes"];
const ONE_OR_MORE = ["vm_nameservers", "admin_networks"];

/** A problem with the key it is about, when that is a known one. */
export interface Bad {
  key: string | undefined;
  problem: Problem;
}

function unknownKeys(flat: MapTree): Bad[] {
  return [...flat.entries]
    .filter(([key]) => !Object.hasOwn(FLAT_KEYS, key))
    .map(([key, { key: at }]) => {
      const near = nearest(key, Object.keys(FLAT_KEYS));
      const hint =
        near === undefined ? `remove it; the keys known here are ${Object.keys(FLAT_KEYS).join(", ")}` : `did you mean ${near}?`;
      return {
        key: near,
        problem: { code: "CONFIG_UNKNOWN_KEY", at, message: `${key} is no known key`, hint, remark: "not known" },
      };
    });
}

function elsewhere(flat: MapTree): Bad[] {
  const platform = flatPlatform(flat);
  return [...flat.entries]
    .filter(([key]) => isElsewhere(key, platform))
    .map(([key, { key: at }]) => ({
      key: undefined,
      problem: {
        code: "CONFIG_CONFLICT",
        at,
        message: `${key} is for platform ${FLAT_KEYS[key]?.only}, and platform is ${platform}`,
        hint: key === "cluster_vip" ? VIP_HINT : "remove it",
      },
    }));
}

const VIP_HINT =
  "remove it: no address floats between rented servers; cluster_endpoint may name a DNS name or a load balancer, and is the first control plane's address otherwise";

function wrongKinds(flat: MapTree): Bad[] {
  return [...flat.entries].flatMap(([key, { key: at, value }]): Bad[] => {
    if (!Object.hasOwn(FLAT_KEYS, key) || isElsewhere(key, flatPlatform(flat))) return [];
    const example = `${key}: ${FLAT_KEYS[key]?.example}`;
    const wrong = (says: string, hint: string): Bad[] => [
      { key, problem: { code: "CONFIG_VALUE", at, message: `${key} ${says}`, hint } },
    ];
    if (value.kind === "scalar" && value.value === null)
      return wrong("is empty", `fill it in, or remove the key, such as ${example}`);
    if (LISTS.includes(key) && value.kind !== "list") return wrong("must be a list", `write a list: ${example}`);
    const single = !LISTS.includes(key) && !ONE_OR_MORE.includes(key);
    return single && value.kind !== "scalar" ? wrong("must be a single value", `write it like this: ${example}`) : [];
  });
}

/** A key that is missing because it is misspelt is one mistake, not two. */
function missingKeys(flat: MapTree): Bad[] {
  const platform = flatPlatform(flat);
  const unknown = [...flat.entries.keys()].filter((key) => !Object.hasOwn(FLAT_KEYS, key));
  const meant = new Set(unknown.map((key) => nearest(key, Object.keys(FLAT_KEYS))));
  return Object.entries(FLAT_KEYS)
    .filter(([key, { required }]) => required?.includes(platform) && !flat.entries.has(key) && !meant.has(key))
    .map(([key, { example }]) => ({
      key,
      problem: {
        code: "CONFIG_MISSING_KEY",
        at: flat.at,
        message: `${key} is missing`,
        hint: `add it:\n${key}: ${example}`,
        remark: `${key} is missing`,
      },
    }));
}

/** What can be said of flat keys before they are sections: unknown, missing, or another kind of value. */
export function flatProblems(flat: MapTree): Bad[] {
  return [...unknownKeys(flat), ...elsewhere(flat), ...wrongKinds(flat), ...missingKeys(flat)];
}

/** These keys describe machines on Proxmox, or rented servers. */
export function otherSpelling(flat: MapTree): Normalised | undefined {
  const platform = find(flat, ["platform"]);
  if (platform?.kind !== "scalar" || platform.value !== "metal") return undefined;
  const hint = "write it in sections, as environments/metal-example/config.yaml shows";
  const problem: Problem = { code: "CONFIG_CONFLICT", at: platform.at, message: "platform metal has no flat spelling", hint };
  return { tree: { ...flat, entries: new Map() }, problems: [problem], warned: [], silent: [[]], rename: (text) => text };
}

/** There is no key for it in FluoData's own files, so a certificate that Proxmox made itself is not trusted there. */
export function unpinned(flat: MapTree): Problem[] {
  const host = flat.entries.get("proxmox_host");
  if (host === undefined || flat.entries.has("proxmox_tls_fingerprint")) return [];
  return [
    {
      code: "CONFIG_CONFLICT",
      at: host.key,
      message: "proxmox_tls_fingerprint is not set, so only a certificate that this computer trusts anyway is accepted",
      hint: 'add proxmox_tls_fingerprint: "AA:BB:…"; the Proxmox UI shows it: the host, System, Certificates, pve-ssl.pem, Fingerprint',
    },
  ];
}
