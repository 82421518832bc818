import type { Field } from "../../engine/step.ts";
import type { ConfigDocument } from "./document.ts";
import { isObject, isOriginal } from "./document.ts";
import { MachineConfig } from "./machine-config.ts";

/** The actions that a changed config needs to take effect on a running node. */
export interface Effect {
  /** Fields that take effect only after a reboot. */
  readonly reboot: readonly string[];
  /** Fields that may make the node unreachable. */
  readonly reach: readonly string[];
}

/** The fields of the original document that Talos applies at once; its other fields wait for a reboot. Other documents never do. */
const AT_ONCE = [
  "debug",
  "cluster",
  ...[
    ...["ca", "acceptedCAs", "certSANs", "install", "network", "time", "sysctls", "sysfs", "logging", "controlPlane", "kubelet"],
    ...["kernel", "registries", "pods", "seccompProfiles", "nodeAnnotations", "nodeLabels", "nodeTaints"],
    ...["kubernetesTalosAPIAccess", "kubePrism", "hostDNS", "imageCache", "nodeAddressSortAlgorithm"].map(
      (one) => `features.${one}`,
    ),
  ].map((part) => `machine.${part}`),
];

/** Documents that affect whether packets reach a node. */
const REACH = new Set([
  ...[
    "LinkConfig",
    "LinkAliasConfig",
    "BondConfig",
    "VLANConfig",
    "BridgeConfig",
    "VRFConfig",
    "WireguardConfig",
    "KubeSpanConfig",
  ],
  ...["DHCPv4Config", "DHCPv6Config", "EthernetConfig", "BlackholeRouteConfig", "RoutingRuleConfig"],
  ...["NetworkDefaultActionConfig", "NetworkRuleConfig"],
]);

/** Fields as `configDifferences` names them: those of other documents begin with their kind. */
export function effectOf(fields: readonly Field[]): Effect {
  const paths = fields.map((field) => field.path);
  return { reboot: paths.filter(waitsForReboot), reach: paths.filter(decidesReach) };
}

function waitsForReboot(path: string): boolean {
  return !isOfDocument(path) && !AT_ONCE.some((part) => isBelow(path, part));
}

function decidesReach(path: string): boolean {
  return isOfDocument(path) ? REACH.has(path.split(" ")[0] ?? "") : isBelow(path, "machine.network");
}

function isOfDocument(path: string): boolean {
  return /^[A-Z]/.test(path);
}

function isBelow(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}[`);
}

/** The running config with only the network of the wanted one, which can be tried before the rest needs a reboot. */
export function withReachOf(running: MachineConfig, wanted: MachineConfig): MachineConfig {
  const network = wanted.documents.find(isOriginal)?.machine;
  const kept = running.documents
    .filter((document) => !isReach(document))
    .map((document) => (isOriginal(document) ? withNetwork(document, network) : document));
  return MachineConfig.of([...kept, ...wanted.documents.filter(isReach)]);
}

function isReach(document: ConfigDocument): boolean {
  return !isOriginal(document) && REACH.has(String(document.kind));
}

function withNetwork(document: ConfigDocument, wanted: ConfigDocument[string] | undefined): ConfigDocument {
  const { machine } = document;
  if (!isObject(machine)) return document;
  const { network: _, ...rest } = machine;
  const network = isObject(wanted) ? wanted.network : undefined;
  return { ...document, machine: { ...rest, ...(network !== undefined && { network }) } };
}
