import type { Json } from "@talosmith/lib/json.ts";
import { type ConfigDocument, documentTitle, isObject, isOriginal, type JsonObject } from "./document.ts";
import { MachineConfig } from "./machine-config.ts";

/** A place in a config: the kind of its document, "" being the original one, and the keys. */
type Place = readonly [kind: string, ...keys: string[]];

/** Which of them is Talos itself. */
const INSTALLER = 0;

/** The fields that contain releases, in either form. A different release is an upgrade, which is a separate operation. */
const VERSIONS: readonly (readonly Place[])[] = [
  [
    ["", "machine", "install", "image"],
    ["UnattendedInstallConfig", "installer", "image"],
  ],
  [
    ["", "machine", "kubelet", "image"],
    ["KubeletConfig", "image"],
  ],
  [
    ["", "cluster", "apiServer", "image"],
    ["KubeAPIServerConfig", "image"],
  ],
  [
    ["", "cluster", "controllerManager", "image"],
    ["KubeControllerManagerConfig", "image"],
  ],
  [
    ["", "cluster", "scheduler", "image"],
    ["KubeSchedulerConfig", "image"],
  ],
  [
    ["", "cluster", "proxy", "image"],
    ["KubeProxyConfig", "image"],
  ],
];

export interface KeptVersion {
  /** "machine.kubelet.image", "KubeletConfig image" */
  path: string;
  /** The software of the image. */
  of: "talos" | "kubernetes";
  runs: string;
  wanted: string;
}

/**
 * The config for a running node: the wanted config with the node's own releases, and a list of those that differ. `isInstalled`: the node already runs
 * this installer's image, because it was upgraded by hand.
 */
export function keepVersions(
  wanted: MachineConfig,
  actual: MachineConfig,
  isInstalled: (installer: string) => boolean = () => false,
): { config: MachineConfig; kept: KeptVersion[] } {
  if (wanted.text === actual.text) return { config: wanted, kept: [] };
  const kept: KeptVersion[] = [];
  const documents = wanted.documents.map((document) =>
    VERSIONS.reduce<ConfigDocument>((result, places, index) => {
      const keys = places.find(([kind]) => kind === kindOf(document))?.slice(1) ?? [];
      const [to, runs] = [at(result, keys), runningVersion(actual.documents, places)];
      if (typeof to !== "string" || typeof runs !== "string" || to === runs) return result;
      const of = index === INSTALLER ? "talos" : "kubernetes";
      if (of === "talos" ? isInstalled(to) : isSameRelease(runs, to)) return result;
      const path = [documentTitle(document), keys.join(".")].filter((part) => part !== "").join(" ");
      kept.push({ path, of, runs, wanted: to });
      return put(result, keys, runs);
    }, document),
  );
  return { config: kept.length === 0 ? wanted : MachineConfig.of(documents), kept };
}

/** The release in an image's name: "v1.36.3" of "registry.k8s.io/kube-proxy:v1.36.3". */
export function releaseIn(image: string): string | undefined {
  return /:(v[^:@/]+)(?:@.*)?$/.exec(image)?.[1];
}

/** Whether two images have the same release, even from different registries. */
function isSameRelease(one: string, other: string): boolean {
  const release = releaseIn(one);
  return release !== undefined && release === releaseIn(other);
}

function runningVersion(running: readonly ConfigDocument[], places: readonly Place[]): Json | undefined {
  for (const [kind, ...keys] of places) {
    const document = running.find((one) => kindOf(one) === kind);
    const version = document && at(document, keys);
    if (version !== undefined) return version;
  }
  return undefined;
}

function kindOf(document: ConfigDocument): string {
  return isOriginal(document) ? "" : String(document.kind);
}

function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  return isObject(value) ? at(value[first], rest) : undefined;
}

function put(value: JsonObject, [first = "", ...rest]: readonly string[], to: string): JsonObject {
  const inner = value[first];
  return { ...value, [first]: rest.length === 0 || !isObject(inner) ? to : put(inner, rest, to) };
}
