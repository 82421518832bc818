import { type Check, check, PREFLIGHT } from "../../engine/step.ts";
import type { Owned } from "../../platforms/platform.ts";
import { BY_HAND_MS } from "./machine-on.ts";
import { powerState, type Switch } from "./power-state.ts";

/** Names the machines that the user has to switch on. */
export function switchedByHand(how: Switch, machines: readonly Owned[]): Check {
  return check({
    id: "preflight/by-hand",
    stage: PREFLIGHT,
    title: "machines to be switched on by hand",
    run: async (c) => {
      const states = await Promise.all(machines.map(async (one) => ({ one, ...(await powerState(how, one, c)) })));
      const off = states.filter(({ is }) => is === "unknown").map(({ one }) => `${one.name} (${one.address})`);
      if (off.length === 0) return [];
      const message = `switch on ${off.join(", ")} by hand: talosmith cannot, and waits ${BY_HAND_MS / 60_000} min for ${off.length === 1 ? "it" : "them"}`;
      return [{ level: "warn", code: "BY_HAND", message }];
    },
  });
}
