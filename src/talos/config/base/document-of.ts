import type { ConfigDocument, JsonObject } from "../document.ts";

/** A document of this kind; all that Talos knows are of version v1alpha1. */
export function documentOf(kind: string, body: JsonObject): ConfigDocument {
  return { apiVersion: "v1alpha1", kind, ...body };
}
