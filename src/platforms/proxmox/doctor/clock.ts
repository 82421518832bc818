import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { hostTime } from "../client/nodes.ts";
import type { Site } from "../site.ts";
import { ok, warn } from "./finding.ts";
import { createsMachine, hostsOf } from "./kinds.ts";
import { PREFLIGHT } from "./version.ts";

/** Certificates created here must not start in the future for a machine that takes its first time from its host. */
const TOLERATED_S = 60;

export function clocksAgree(site: Site, found: Inventory): Check {
  return check({
    id: "preflight/clock",
    stage: "preflight",
    title: "clocks of the hosts",
    needs: [{ step: PREFLIGHT }],
    before: createsMachine,
    run: async (c, changes) => {
      const looks = (await hostsOf(site, found, c, changes)).map(async ([host]) => {
        const theirs = await hostTime(site.client, host, c.signal);
        const apart = Math.round(theirs - c.world.clock.now() / 1000);
        if (Math.abs(apart) <= TOLERATED_S)
          return ok("HOST_CLOCK", `the clock of ${host} agrees with the clock of this computer`);
        return warn(
          "HOST_CLOCK",
          `the clock of ${host} is ${Math.abs(apart)} s ${apart > 0 ? "ahead of" : "behind"} this computer's`,
          `a machine takes its first time from its host, and a certificate is not valid before its start time: check chrony on ${host} and the clock of this computer`,
        );
      });
      return Promise.all(looks);
    },
  });
}
