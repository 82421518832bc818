import { stringify } from "yaml";
import type { Json } from "../../../lib/json.ts";
import type { Called } from "../api/caller.ts";
import { encodeSpec, type Layout } from "./layout.ts";

/** A resource as it is at this moment, without its version. */
export interface Item {
  id: string;
  yaml: string;
  proto: Buffer;
  annotations?: Record<string, string>;
}

export interface ResourceType {
  /** "Members.cluster.talos.dev" */
  type: string;
  namespace: string;
  /** Only for administrators. */
  sensitive?: true;
  /** Names for it besides those made of the type. */
  aliases?: readonly string[];
  items(called: Called): Item[];
}

type Spec = { readonly [key: string]: Json | undefined };

/** A type whose specs are written by a layout. */
export function described(
  about: Omit<ResourceType, "items">,
  layout: Layout,
  list: (called: Called) => readonly (readonly [id: string, spec: Spec])[],
): ResourceType {
  return {
    ...about,
    items: (called) => list(called).map(([id, spec]) => ({ id, yaml: yamlOf(spec), proto: encodeSpec(layout, spec) })),
  };
}

export function yamlOf(value: unknown): string {
  return stringify(value, { indent: 4, lineWidth: 0 });
}
