import type { Manifest } from "./addon.ts";

/** Encodes the data of a Secret. Not `stringData`: the server converts it, and the next plan would differ. */
export function secretObject(metadata: Manifest["metadata"], texts: Readonly<Record<string, string>>, type = "Opaque"): Manifest {
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata, type, data: Object.fromEntries(data) };
}
