import type { Check } from "../../engine/step.ts";
import { tooLittleMemory } from "../../talos/health/sizes.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 5. */
export function memorySizes(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "memory",
    title: "memory",
    until: "every node has the memory that Talos needs",
    look: async (see, { signal }) => {
      const [versions, asked] = await Promise.all([see.versions(), see.each((api) => api.memoryBytes(signal))]);
      const modes = new Map(versions.map((one) => [one.node.name, one.is === "said" ? one.answer.mode : ""]));
      const sizes = asked.map((one) =>
        one.is === "said" ? { ...one, answer: { bytes: one.answer, mode: modes.get(one.node.name) ?? "" } } : one,
      );
      return orFine(tooLittleMemory(sizes), "MEMORY", "every node has the memory that Talos needs");
    },
  });
}
