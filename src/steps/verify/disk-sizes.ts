import type { Check } from "../../engine/step.ts";
import { EPHEMERAL, tooSmallDisks } from "../../talos/health/sizes.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { withMode } from "./with-mode.ts";

/** Talos' check 6. */
export function diskSizes(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "disk",
    title: "disks",
    until: "every node has the disk that Talos needs",
    look: async (see, { signal }) => {
      const volumes = await withMode(
        see,
        see.each((api) => api.resource(EPHEMERAL, signal)),
      );
      return orFine(tooSmallDisks(volumes), "DISK", "every node has the disk that Talos needs");
    },
  });
}
