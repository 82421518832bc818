import type { Role } from "../../../config/config.ts";
import type { ClusterInput } from "../cluster-input.ts";
import type { ConfigDocument } from "../document.ts";
import { clusterSection } from "./cluster-section.ts";
import { machineDocuments } from "./machine-documents.ts";
import { machineSection } from "./machine-section.ts";

/** Contracts v1.12 and v1.13: Talos' original format, and documents only for what it no longer holds. */
export function oneDocument(input: ClusterInput, role: Role): ConfigDocument[] {
  return [
    {
      version: "v1alpha1",
      debug: false,
      persist: true,
      machine: machineSection(input, role),
      cluster: clusterSection(input, role),
    },
    ...machineDocuments(input),
  ];
}
