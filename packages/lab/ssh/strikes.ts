import { createPublicKey } from "node:crypto";
import { userError } from "@talosmith/lib/errors.ts";
import type { Strike } from "../kernel/kernel.ts";
import { derivedEd25519 } from "../talos/identity.ts";
import { openSshKey } from "./open-ssh-key.ts";
import { sshHost, sshState } from "./state.ts";

/** What befalls the hosts' own systems. */
export const strikes: Record<string, Strike> = {
  "host-key-changed": {
    title: "a Proxmox host shows another SSH host key",
    args: ["host"],
    run: (lab, [name = ""]) => {
      const host = sshHost(lab, name);
      if (!host)
        throw userError("LAB_STRIKE", {
          message: `Unable to do this: there is no host ${name}`,
          hint: `choose among ${sshState(lab)
            .hosts.map((one) => one.name)
            .join(", ")}`,
        });
      const privateKey = derivedEd25519(lab, "ssh host", name, lab.serial("ssh host key"));
      host.hostKey = openSshKey({ privateKey, publicKey: createPublicKey(privateKey) }, `root@${name}`);
    },
  },
};
