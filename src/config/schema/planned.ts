import * as z from "zod";
import { later } from "./value.ts";

/**
 * The planned keys, by section. Their shapes are checked, so that a file that is written today does
 * not become invalid later. To make one available, move its line into the section's file, without `later`.
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
