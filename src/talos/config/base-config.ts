import { internalError } from "@talosmith/lib/errors.ts";
import type { Role } from "../../config/config.ts";
import { manyDocuments } from "./base/many-documents.ts";
import { oneDocument } from "./base/one-document.ts";
import type { ClusterInput } from "./cluster-input.ts";
import type { ConfigDocument } from "./document.ts";

/** Until 1.13 nearly everything is in one document; since 1.14 every subject has one of its own. */
const WRITERS = new Map([
  ["v1.12", oneDocument],
  ["v1.13", oneDocument],
  ["v1.14", manyDocuments],
]);

/**
 * controlplane.yaml or worker.yaml: what `talosctl gen config` writes from the same secrets, in the same order, with the cluster's
 * choices already in it.
 */
export function baseConfig(input: ClusterInput, role: Role): ConfigDocument[] {
  const write = WRITERS.get(input.contract);
  if (write === undefined) {
    throw internalError("TALOS_CONTRACT", {
      message: `Unable to write machine configs for contract ${input.contract}`,
      detail: `supported contracts: ${[...WRITERS.keys()].join(", ")}`,
    });
  }
  return write(input, role);
}
