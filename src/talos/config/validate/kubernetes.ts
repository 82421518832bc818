import type { Json } from "@talosmith/lib/json.ts";
import type { ConfigDocument } from "../document.ts";
import { type Facts, type Found, found, isSince, listAt, mapAt, ofKind, textAt } from "./facts.ts";

/** The fields of the kubelet's config that Talos sets itself (machinery, kubelet.ProtectedConfigurationFields). */
const KUBELET_OWN = new Set([
  ...["apiVersion", "kind", "authentication", "authorization", "cgroupRoot", "kubeletCgroups", "systemCgroups", "port"],
  ...["protectKernelDefaults", "resolvConf", "rotateCertificates", "staticPodPath", "seccompDefault"],
]);

/** Documents that only control planes may have. */
const FOR_CONTROL_PLANES = [
  ...["KubeAPIServerConfig", "KubeControllerManagerConfig", "KubeSchedulerConfig", "KubeProxyConfig", "KubeCoreDNSConfig"],
  ...["KubeFlannelCNIConfig", "KubeAdmissionControlConfig", "KubeAuditPolicyConfig", "KubeAuthenticationConfig"],
  ...["KubeAuthorizerConfig", "KubeEtcdEncryptionConfig", "KubeServiceAccountConfig", "KubeAggregatorCAConfig"],
  "KubeTalosAPIAccessConfig",
];

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function* kubernetes(facts: Facts): Generator<Found> {
  yield* nodeWords(facts.original, {
    labels: "machine.nodeLabels",
    annotations: "machine.nodeAnnotations",
    taints: "machine.nodeTaints",
  });
  for (const node of ofKind(facts, "KubeNodeConfig"))
    yield* nodeWords(node, { labels: "labels", annotations: "annotations", taints: "taints" });
  for (const kubelet of ofKind(facts, "KubeletConfig")) yield* kubeletOwn(kubelet, "config");
  for (const proxy of ofKind(facts, "KubeProxyConfig")) {
    const mode = textAt(proxy, "mode");
    if (proxy.enabled !== false && mode !== "" && !["iptables", "ipvs", "nftables"].includes(mode))
      yield found(proxy, "mode", "mode must be nftables, iptables or ipvs", "write nftables");
  }
  for (const prism of ofKind(facts, "KubePrismConfig"))
    if (typeof prism.port === "number" && (prism.port < 0 || prism.port > 65_535))
      yield found(prism, "port", "port must be from 1 to 65535", "write 7445, which is Talos's own choice");
  for (const network of ofKind(facts, "KubeNetworkConfig")) yield* subnets(network);
  if (facts.role === "worker" && isSince(facts, "1.14"))
    for (const document of ofKind(facts, ...FOR_CONTROL_PLANES))
      yield found(document, "kind", "is for control planes only", "move it to patches.controlplane");
}

/** Keys of the kubelet's config that are Talos's own. */
export function* kubeletOwn(document: ConfigDocument, path: string): Generator<Found> {
  for (const key of Object.keys(mapAt(document, path)))
    if (KUBELET_OWN.has(key)) yield found(document, `${path}.${key}`, `${path}.${key} is set by Talos itself`, "remove it");
}

/** Labels, annotations and taints as Kubernetes has them. */
function* nodeWords(document: ConfigDocument, at: { labels: string; annotations: string; taints: string }): Generator<Found> {
  const said = (path: string, key: string, says: string, hint: string): Found => ({
    document,
    path: [...path.split("."), key],
    says: `${path}.${key} ${says}`,
    hint,
  });
  for (const path of Object.values(at))
    for (const key of Object.keys(mapAt(document, path)))
      if (!isQualifiedName(key)) yield said(path, key, "is not a valid Kubernetes name", "write it as name or example.org/name");
  for (const [key, value] of Object.entries(mapAt(document, at.labels)))
    if (!isLabelValue(value))
      yield said(at.labels, key, "has a value that Kubernetes does not accept", "write up to 63 letters, digits, -, _ and .");
  for (const [key, value] of Object.entries(mapAt(document, at.taints))) {
    const [first = "", effect] = String(value).split(":");
    if (!EFFECTS.includes(effect ?? first) || (effect !== undefined && !isLabelValue(first)))
      yield said(at.taints, key, "must be value:Effect or Effect", `write one of ${EFFECTS.join(", ")} at its end`);
  }
}

function* subnets(network: ConfigDocument): Generator<Found> {
  const [pods, services] = [listAt(network, "podSubnets"), listAt(network, "serviceSubnets")];
  for (const [path, list] of [["podSubnets", pods] as const, ["serviceSubnets", services] as const]) {
    const six = list.filter((one) => String(one).includes(":")).length;
    if (list.length > 2 || six > 1 || list.length - six > 1)
      yield found(network, path, `${path} may have one network of each family`, "keep one of each family");
  }
  if (pods.length > 0 && services.length > 0 && pods.length !== services.length)
    yield found(network, "serviceSubnets", "needs as many serviceSubnets as podSubnets", "set both for the same families");
}

function isQualifiedName(text: string): boolean {
  const [name = "", prefix, ...more] = text.split("/").reverse();
  if (more.length > 0 || name.length > 63 || !NAME.test(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && DOMAIN.test(prefix));
}

function isLabelValue(value: Json): boolean {
  const text = value === null ? "" : String(value);
  return text === "" || (text.length <= 63 && NAME.test(text));
}
