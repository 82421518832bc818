import type { Check } from "../../engine/step.ts";
import { tooLittleMemory } from "../../talos/health/sizes.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { withMode } from "./with-mode.ts";

/** Talos' check 5. */
export function memorySizes(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "memory",
    title: "memory",
    until: "every node has the memory that Talos needs",
    look: async (see, { signal }) => {
      const sizes = await withMode(
        see,
        see.each((api) => api.memoryBytes(signal)),
      );
      return orFine(tooLittleMemory(sizes), "MEMORY", "every node has the memory that Talos needs");
    },
  });
}
