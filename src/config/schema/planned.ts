import * as z from "zod";
import { later } from "./value.ts";

/**
 * The keys that are known and not built yet, by the section they belong to. Their shapes are checked, so that a file written today does not
 * surprise anybody later. To build one, move its line into the section's file, without `later`.
 */

const flag = z.boolean();
const anything = z.record(z.string(), z.unknown());

const REMOVE = "remove it: it comes in a later version";

export const planned = {
  image: {
    overlay: later(anything, "Board overlay.", REMOVE),
  },
  node: {
    create: later(
      flag,
      "Whether talosmith creates the machine; false for one that exists already.",
      "remove it; take the whole entry out for a node that should not be made",
    ),
  },
};

export const plannedPlatform = (names: readonly string[]) =>
  later(
    z.enum([...names] as [string, ...string[]]),
    "Platform of this node, when it differs.",
    "remove it: every node is on the file's platform",
  );
