import type { Strike } from "../kernel/kernel.ts";
import { FACTORY, type FactoryState } from "./state.ts";

/** Events that can happen to the image factory; that it does not answer is an outage. */
export const strikes: Record<string, Strike> = {
  "factory-forgets": {
    title: "the image factory deletes its built images: the next request of each image waits for a new build",
    args: [],
    run: (lab) => {
      lab.state<FactoryState>(FACTORY).builds = {};
    },
  },
};
