import type { Role } from "../../config/config.ts";
import { internalError } from "../../lib/errors.ts";
import type { ClusterInput } from "./cluster-input.ts";
import { clusterSection } from "./cluster-section.ts";
import type { ConfigDocument } from "./document.ts";
import { machineSection } from "./machine-section.ts";

/** From 1.14 on most of the config is in documents of its own, which we do not write yet. */
const CONTRACTS = ["v1.12", "v1.13"];

/**
 * controlplane.yaml or worker.yaml: what `talosctl gen config` writes from the same secrets, in the same order, with the cluster's
 * choices (CNI, installer, scheduling) already in it.
 */
export function baseConfig(input: ClusterInput, role: Role): ConfigDocument[] {
  if (!CONTRACTS.includes(input.contract)) {
    throw internalError("TALOS_CONTRACT", {
      message: `Unable to write machine configs for contract ${input.contract}`,
      detail: `the contracts written are ${CONTRACTS.join(", ")}`,
    });
  }
  return [
    {
      version: "v1alpha1",
      debug: false,
      persist: true,
      machine: machineSection(input, role),
      cluster: clusterSection(input, role),
    },
    { apiVersion: "v1alpha1", kind: "HostnameConfig", auto: "stable" },
  ];
}
