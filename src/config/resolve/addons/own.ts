import type { Tree } from "@talosmith/lib/yaml/tree.ts";
import type { AddonPart, Manifest, ObjectsPart } from "../../../catalog/addons/addon.ts";
import type { AddonConfig } from "../../addons-config.ts";
import type { Manifests } from "../../manifests/read-manifests.ts";
import type { Draft } from "../../shape.ts";
import { sure } from "../values.ts";
import { chartOptions } from "./preset-options.ts";

type Addons = NonNullable<Draft["addons"]>;

export function chartAddons({ charts = [] }: Addons, tree: Tree): AddonConfig[] {
  return charts.map((written, index): AddonConfig => {
    const told = sure(written);
    const path = ["addons", "charts", index];
    const { version, repository, namespace, values, secretPaths } = chartOptions(told, path, tree);
    const name = sure(told.name);
    const labels = Object.entries(told.namespaceLabels ?? {}).map(([key, value]) => [key, String(sure(value))]);
    return {
      name,
      tier: "charts",
      path,
      parts: [
        {
          kind: "release",
          name,
          namespace: namespace ?? name,
          chart: sure(told.chart),
          repository: sure(repository),
          version: sure(version),
          values: values ?? {},
          namespaceLabels: Object.fromEntries(labels),
          secretPaths: secretPaths ?? [],
        },
      ],
    };
  });
}

export function manifestAddons({ manifests = [] }: Addons, read: Manifests): AddonConfig[] {
  return manifests.map((written, index): AddonConfig => {
    const told = sure(written);
    const name = manifestName(told, index);
    const part: AddonPart =
      typeof told === "object" && told.url !== undefined
        ? { kind: "download", name: "objects", url: told.url, ...(told.sha256 !== undefined && { sha256: told.sha256 }) }
        : { kind: "objects", name: "objects", objects: sure(read.get(index)) };
    return { name, tier: "manifests", path: ["addons", "manifests", index], parts: [part] };
  });
}

/** What it is told to be called, else its file without folder and ending, else its number. */
export function manifestName(told: NonNullable<NonNullable<Addons["manifests"]>[number]>, index: number): string {
  const number = `manifests-${index + 1}`;
  if (typeof told === "object") return told.name ?? number;
  const file = told.replace(/^.*\//, "").replace(/\.(ya?ml|json)$/i, "");
  const name = file
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 53)
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? number : name;
}

/** In a cluster that has nothing else yet. */
const ALWAYS_THERE = new Set(["default", "kube-system", "kube-public", "kube-node-lease"]);

export function secretAddons({ secrets = [] }: Addons): AddonConfig[] {
  if (secrets.length === 0) return [];
  const objects = secrets.map((written): Manifest => {
    const { name, namespace, type = "Opaque", data } = sure(written);
    const texts = Object.entries(sure(data)).map(([key, text]) => [key, Buffer.from(String(sure(text))).toString("base64")]);
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: sure(name), namespace: sure(namespace) },
      type,
      data: Object.fromEntries(texts),
    };
  });
  const namespaces = [...new Set(secrets.map((secret) => sure(secret?.namespace)))].filter((name) => !ALWAYS_THERE.has(name));
  const part = (name: string, all: readonly Manifest[]): ObjectsPart => ({ kind: "objects", name, objects: all });
  const made = namespaces.map((name): Manifest => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
  return [
    {
      name: "secrets",
      tier: "secrets",
      path: ["addons", "secrets"],
      parts: [...(made.length > 0 ? [part("namespaces", made)] : []), part("secrets", objects)],
    },
  ];
}
