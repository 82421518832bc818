import { CLUSTER } from "./main-cluster.ts";
import { MACHINE } from "./main-machine.ts";
import type { Keys } from "./notation.ts";

/** The original document, which has neither apiVersion nor kind. */
export const MAIN: Keys = {
  version: "text",
  "debug?": "bool",
  "persist?": "bool",
  "machine?": MACHINE,
  "cluster?": CLUSTER,
};
