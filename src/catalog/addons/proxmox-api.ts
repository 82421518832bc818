import { createHash } from "node:crypto";
import { internalError } from "@talosmith/lib/errors.ts";
import type { Secret } from "@talosmith/lib/secret.ts";
import type { AddonPart, ChartOptions, ClusterFacts, Values } from "./addon.ts";
import { namespaceObjects } from "./pod-security.ts";
import { secretObject } from "./secret-object.ts";

/** What both of Proxmox's drivers are told. */
export interface ProxmoxDriverOptions extends ChartOptions {
  /** "user@realm!name=uuid", of a user of the driver's own. */
  readonly token: Secret;
  /** What the Proxmox cluster is called in Kubernetes; by default as the Kubernetes cluster is. */
  readonly region?: string;
}

interface Access {
  readonly part: AddonPart;
  /** For the chart, which never sees the token. */
  readonly values: Values;
  /** On the pods, which look at their config only when they start. */
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
    // The drivers trust the authorities of their image and know no fingerprints.
    insecure: proxmox.trusted !== "system",
    token_id: token.slice(0, at),
    token_secret: token.slice(at + 1),
    region: regionOf(options, facts),
  };
}

export function regionOf(options: ProxmoxDriverOptions, facts: ClusterFacts): string {
  return options.region ?? facts.name;
}

/** Both look after the cluster from its control planes. */
export const ON_CONTROL_PLANES = {
  nodeSelector: { "node-role.kubernetes.io/control-plane": "" },
  tolerations: ["node-role.kubernetes.io/control-plane", "node.cloudprovider.kubernetes.io/uninitialized"].map((key) => ({
    key,
    operator: "Exists",
    effect: "NoSchedule",
  })),
} as const;
