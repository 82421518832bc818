import * as z from "zod";
import { later } from "./value.ts";

/**
 * The keys that are known and not built yet, by the section they belong to. Their shapes are checked, so that a file written today does not
 * surprise anybody later. To build one, move its line into the section's file, without `later`.
 */

const word = z.string();
const flag = z.boolean();
const anything = z.record(z.string(), z.unknown());
const oneOf = <W extends string>(...of: [W, ...W[]]) => z.enum(of);

const REMOVE = "remove it: it comes in a later version";

export const planned = {
  image: {
    overlay: later(anything, "Board overlay.", REMOVE),
  },
  dataDisk: {
    mount: later(word, "Where it is mounted.", "remove it: a disk with volume: NAME is mounted at /var/mnt/NAME"),
  },
  node: {
    platform: later(
      oneOf("proxmox", "vps", "oci", "metal"),
      "Platform of this node, when it differs.",
      "remove it: every node is on the file's platform",
    ),
    create: later(
      flag,
      "Whether the machine is made here; false for one that exists.",
      "remove it; take the whole entry out for a node that should not be made",
    ),
  },
};
