import type { Check } from "../../engine/step.ts";
import { wrongClocks } from "../../talos/health/clocks.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Checks the nodes' clocks: a wrong one causes expired certificates and lost leases. */
export function clocksAgree(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "clocks",
    title: "clocks",
    until: "every node's clock agrees with this computer's",
    look: async (see, { signal, world: { clock } }) => {
      const asked = await see.each(async (api) => {
        const before = clock.now();
        const { local } = await api.time(signal);
        return { local, before, after: clock.now() };
      });
      return orFine(wrongClocks(asked), "CLOCK", "every node's clock agrees with this computer's");
    },
  });
}
