import type { Strike } from "../kernel/kernel.ts";
import { FACTORY, type FactoryState } from "./state.ts";

/** What befalls the image factory; that it does not answer is an outage. */
export const strikes: Record<string, Strike> = {
  "factory-forgets": {
    title: "the image factory has thrown away what it has built: who asks next waits for it again",
    args: [],
    run: (lab) => {
      lab.state<FactoryState>(FACTORY).builds = {};
    },
  },
};
