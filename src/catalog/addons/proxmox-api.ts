import { createHash } from "node:crypto";
import { internalError } from "@talosmith/lib/errors.ts";
import type { Secret } from "@talosmith/lib/secret.ts";
import type { AddonPart, ChartOptions, ClusterFacts, Values } from "./addon.ts";
import { namespaceObjects } from "./pod-security.ts";
import { secretObject } from "./secret-object.ts";

/** The options of both Proxmox drivers. */
export interface ProxmoxDriverOptions extends ChartOptions {
  /** "user@realm!name=uuid", for a separate user. */
  readonly token: Secret;
  /** The name of the Proxmox cluster in Kubernetes; default: the name of the Kubernetes cluster. */
  readonly region?: string;
}

interface Access {
  readonly part: AddonPart;
  /** The reference to the Secret for the chart's values, which do not contain the token. */
  readonly values: Values;
  /** An annotation with the config's hash, because the pods read their config only when they start. */
  readonly podAnnotations: Values;
}

const SECRET = "proxmox-access";

/** The drivers' own config file, which is the same for both, as a Secret. `privileged`: of the namespace it is in. */
export function proxmoxAccess(
  options: ProxmoxDriverOptions,
  facts: ClusterFacts,
  { namespace, privileged }: { namespace: string; privileged: boolean },
): Access {
  const config = JSON.stringify({ clusters: [clusterOf(options, facts)] });
  const secret = secretObject({ name: SECRET, namespace }, { "config.yaml": config });
  return {
    part: { kind: "objects", name: "access", objects: [...namespaceObjects(namespace, privileged), secret] },
    values: { existingConfigSecret: SECRET, existingConfigSecretKey: "config.yaml" },
    podAnnotations: { "talosmith.dev/access": createHash("sha256").update(config).digest("hex").slice(0, 16) },
  };
}

function clusterOf(options: ProxmoxDriverOptions, facts: ClusterFacts) {
  const { proxmox } = facts;
  if (!proxmox) throw internalError("NO_PROXMOX", { message: `${facts.name} is not on Proxmox, but has a Proxmox driver` });
  const token = options.token.reveal();
  const at = token.indexOf("=");
  return {
    url: `${proxmox.url}/api2/json`,
    // The drivers trust only the CAs of their image and do not support fingerprints.
    insecure: proxmox.trusted !== "system",
    token_id: token.slice(0, at),
    token_secret: token.slice(at + 1),
    region: regionOf(options, facts),
  };
}

export function regionOf(options: ProxmoxDriverOptions, facts: ClusterFacts): string {
  return options.region ?? facts.name;
}

/** Schedules both drivers on control planes. */
export const ON_CONTROL_PLANES = {
  nodeSelector: { "node-role.kubernetes.io/control-plane": "" },
  tolerations: ["node-role.kubernetes.io/control-plane", "node.cloudprovider.kubernetes.io/uninitialized"].map((key) => ({
    key,
    operator: "Exists",
    effect: "NoSchedule",
  })),
} as const;
