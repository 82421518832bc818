import type { Manifest } from "./addon.ts";

/** What is in it, as a Secret holds it. Not `stringData`: the server turns that into something else, and the next plan would differ. */
export function secretObject(metadata: Manifest["metadata"], texts: Readonly<Record<string, string>>, type = "Opaque"): Manifest {
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata, type, data: Object.fromEntries(data) };
}
