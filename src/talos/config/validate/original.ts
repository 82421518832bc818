import { nearest } from "../../../config/nearest.ts";
import { isObject } from "../document.ts";
import { at, type Facts, type Found, found, isSet, isSince, listAt, mapAt, objectsAt, ofKind, textAt } from "./facts.ts";
import { kubeletOwn } from "./kubernetes.ts";

const CNI_NAMES = ["flannel", "custom", "none"];
/** The keys that the original document must have, and those that it must not have. */
export function* original(facts: Facts): Generator<Found> {
  const { original: main } = facts;
  if (Object.keys(main).length === 0) return;
  for (const section of ["machine", "cluster"])
    if (!isObject(main[section])) yield found(main, section, `needs its section ${section}`, `do not delete ${section}`);
  if (main.persist === false) yield found(main, "persist", "persist cannot be false", "remove persist");
  yield* type(facts);
  yield* install(facts);
  yield* network(facts);
  yield* kubernetes(facts);
  yield* manifests(facts);
}

function* type({ original: main, role }: Facts): Generator<Found> {
  const type = textAt(main, "machine.type");
  if (isObject(main.machine) && !["controlplane", "worker", "init", "join", ""].includes(type)) {
    const near = nearest(type, ["controlplane", "worker"]) ?? role;
    yield found(main, "machine.type", "machine.type must be controlplane or worker", `write ${near}`);
  }
  if (isObject(main.machine) && !isSet(at(main, "machine.ca")) && !isSet(at(main, "machine.acceptedCAs")))
    yield found(main, "machine.ca", "needs machine.ca", "do not delete machine.ca: without it the node cannot be reached");
}

function* install(facts: Facts): Generator<Found> {
  const { original: main, mode } = facts;
  if (mode !== "metal" || !isObject(main.machine)) return;
  const asked = at(main, "machine.install");
  if (!isSet(asked)) {
    if (!isSince(facts, "1.14"))
      yield found(main, "machine.install", "needs machine.install", "set the disk to install Talos on");
    return;
  }
  const selector = mapAt(asked, "diskSelector");
  if (textAt(asked, "disk") === "" && !Object.values(selector).some(isSet))
    yield found(main, "machine.install", "machine.install needs a disk or a diskSelector", "write disk: /dev/…");
  if (listAt(asked, "extraKernelArgs").length > 0 && at(asked, "grubUseUKICmdline") === true) {
    const hint = "put kernel arguments into image.kernelArgs";
    yield found(
      main,
      "machine.install.extraKernelArgs",
      "machine.install.extraKernelArgs does not work with grubUseUKICmdline",
      hint,
    );
  }
}

function* network(facts: Facts): Generator<Found> {
  const { original: main, role } = facts;
  const cni = at(main, "cluster.network.cni");
  const name = textAt(cni, "name");
  if (role === "controlplane" && isSet(cni) && !CNI_NAMES.includes(name || "flannel"))
    yield found(
      main,
      "cluster.network.cni.name",
      "cluster.network.cni.name must be flannel, custom or none",
      "write none for all others",
    );
  if (role === "controlplane" && isSet(cni) && (name || "flannel") !== "custom" && listAt(cni, "urls").length > 0)
    yield found(
      main,
      "cluster.network.cni.urls",
      "cluster.network.cni.urls is for the CNI custom",
      "write name: custom beside it",
    );
  if (role === "worker") {
    for (const [index, card] of objectsAt(main, "machine.network.interfaces").entries())
      if (isSet(card.vip) || objectsAt(card, "vlans").some((vlan) => isSet(vlan.vip)))
        yield found(
          main,
          `machine.network.interfaces.${index}`,
          "a worker cannot have a virtual IP",
          "give vip to control planes only",
        );
  }
  yield* kubespan(facts);
}

function* kubespan(facts: Facts): Generator<Found> {
  const { original: main } = facts;
  const inOriginal = at(main, "machine.network.kubespan.enabled") === true;
  const document = ofKind(facts, "KubeSpanConfig").find((one) => one.enabled === true);
  const discovers = at(main, "cluster.discovery.enabled") === true || ofKind(facts, "DiscoveryServiceConfig").length > 0;
  const hint = "switch discovery on, or KubeSpan off";
  if (inOriginal && !discovers) yield found(main, "machine.network.kubespan", "machine.network.kubespan needs discovery", hint);
  else if (document !== undefined && !discovers && isSince(facts, "1.14"))
    yield found(document, "enabled", "needs discovery", hint);
}

function* kubernetes(facts: Facts): Generator<Found> {
  const { original: main, role } = facts;
  const cluster = at(main, "cluster");
  if (
    isObject(cluster) &&
    textAt(cluster, "controlPlane.endpoint") === "" &&
    (!isSince(facts, "1.14") || isSet(cluster.controlPlane))
  )
    yield found(main, "cluster.controlPlane.endpoint", "needs cluster.controlPlane.endpoint", "do not delete it");
  yield* kubeletOwn(main, "machine.kubelet.extraConfig");
  if (role === "controlplane") return;
  if (textAt(main, "machine.ca.key") !== "")
    yield found(main, "machine.ca.key", "a worker cannot have machine.ca.key", "give it to control planes only");
  if (textAt(main, "cluster.ca.key") !== "")
    yield found(main, "cluster.ca.key", "a worker cannot have cluster.ca.key", "give it to control planes only");
  if (isSet(at(main, "cluster.etcd")))
    yield found(
      main,
      "cluster.etcd",
      "a worker cannot have cluster.etcd",
      "give it to control planes only (patches.controlplane)",
    );
  if (at(main, "machine.features.kubernetesTalosAPIAccess.enabled") === true) {
    const path = "machine.features.kubernetesTalosAPIAccess";
    yield found(main, path, `a worker cannot have ${path}`, "give it to control planes only (patches.controlplane)");
  }
}

function* manifests({ original: main }: Facts): Generator<Found> {
  const seen = new Set<string>();
  for (const [index, manifest] of objectsAt(main, "cluster.inlineManifests").entries()) {
    const name = textAt(manifest, "name");
    const path = `cluster.inlineManifests.${index}`;
    if (name.trim() === "") yield found(main, path, "an inline manifest needs a name", "write name: …");
    else if (seen.has(name)) {
      const hint = "lists of patches are appended: delete the other one first, with $patch: delete";
      yield found(main, path, `there are two inline manifests ${name}`, hint);
    }
    seen.add(name);
  }
}
