import { createPublicKey } from "node:crypto";
import type { Lab } from "../kernel/kernel.ts";
import { type OpenSshKey, openSshKey } from "../ssh/open-ssh-key.ts";
import { derivedEd25519 } from "../talos/identity.ts";
import type { Server } from "./state.ts";

/** Keys come from the seed: the same lab has the same ones, and none is in its state. */
function keyOf(lab: Lab, comment: string, ...of: (string | number)[]): OpenSshKey {
  const privateKey = derivedEd25519(lab, "rescue", ...of);
  return openSshKey({ privateKey, publicKey: createPublicKey(privateKey) }, comment);
}

/** A system keeps its key; a rescue system makes a new one at every start, unless its server `keepsKey`. */
export function hostKey(lab: Lab, { name, keepsKey, boot }: Server, runs: "rescue" | "system"): OpenSshKey {
  return keyOf(lab, `root@${name}`, runs, name, runs === "rescue" && !keepsKey ? boot : 0);
}

/** The key of the tenant: all servers know its public part. */
export function userKey(lab: Lab): OpenSshKey {
  return keyOf(lab, "talosmith lab", "user");
}
