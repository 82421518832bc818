import { parseAllDocuments } from "yaml";
import type { KubernetesObject, Secret } from "../objects.ts";
import { recorded } from "./stored-release.ts";

/** The objects of a release, from Helm's record. */
export interface ReleaseContents {
  name: string;
  namespace: string;
  /** The objects with their namespaces. Only the server knows which kinds have none. */
  objects: readonly KubernetesObject[];
}

/** The objects without those of hooks, for which Helm itself waits. CRDs of crds/ are not in the manifest, but among the chart's files. */
export function releaseContents(secret: Secret): ReleaseContents {
  const { namespace = "", labels } = secret.metadata;
  const { manifest = "", chart } = recorded(secret);
  const definitions = (chart?.files ?? []).filter(({ name = "" }) => /^crds\/.*\.(ya?ml|json)$/.test(name));
  const texts = [...definitions.map(({ data = "" }) => Buffer.from(data, "base64").toString("utf8")), manifest];
  const objects = texts.flatMap(objectsIn).map((object) => ({ ...object, metadata: { namespace, ...object.metadata } }));
  return { name: labels?.name ?? "", namespace, objects };
}

function objectsIn(text: string): KubernetesObject[] {
  try {
    return parseAllDocuments(text, { prettyErrors: false, logLevel: "silent" }).flatMap((document) => {
      const content: unknown = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 10_000 });
      return isObject(content) ? [content] : [];
    });
  } catch {
    // Too deep, or with endless aliases: this cannot have been installed.
    return [];
  }
}

function isObject(content: unknown): content is KubernetesObject {
  const { kind, metadata } = (content ?? {}) as Partial<KubernetesObject>;
  return typeof kind === "string" && typeof metadata?.name === "string";
}
