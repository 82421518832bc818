import type { Called } from "../api/caller.ts";
import { minorOf } from "../versions.ts";
import { encodeSpec, type Spec } from "./encode.ts";
import { layout } from "./layout.ts";
import { printSpec } from "./print.ts";

/** A resource at this moment, without its version. */
export interface Item {
  id: string;
  yaml: string;
  proto: Buffer;
  /** Set when it is not the type's own. */
  namespace?: string;
  owner?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** The source of a type's resources; the type itself is defined in definitions.ts. */
export interface ResourceSource {
  /** "Members.cluster.talos.dev" */
  type: string;
  /** The controller that writes them. */
  owner: string;
  items(called: Called): Item[];
}

export type Described = readonly [id: string, spec: Spec, more?: Pick<Item, "namespace" | "owner" | "labels">];

/** A resource type whose specs are encoded by a layout. */
export function described(
  type: string,
  owner: string,
  fields: string,
  list: (called: Called) => readonly Described[],
): ResourceSource {
  const of = layout(fields);
  return {
    type,
    owner,
    items: (called) => {
      const minor = minorOf(called.boot.system.version);
      return list(called).map(([id, spec, more]) => ({
        id,
        yaml: printSpec(of, spec, minor),
        proto: encodeSpec(of, spec, minor),
        ...more,
      }));
    },
  };
}
