import type { Trust } from "@talosmith/lib/world/world.ts";
import { certificateOf } from "../../../config/certificate-file.ts";
import type { Reading } from "../../../config/reading.ts";
import type { ProxmoxFacts } from "./draft.ts";

/** How the certificate of the Proxmox API is checked; undefined when the file does not say it rightly, which is then reported. */
export function tlsOf(draft: ProxmoxFacts["draft"], { world, folder, report }: Reading): Trust | undefined {
  const tls = draft.proxmox?.tls;
  if (tls === "system") return { by: "system" };
  if (tls?.fingerprint !== undefined) return { by: "fingerprint", fingerprint: tls.fingerprint.toUpperCase() };
  if (tls?.ca === undefined) return undefined;
  const found = certificateOf(tls.ca, world, folder);
  if ("pem" in found) return { by: "ca", pem: found.pem };
  report.problem(
    ["proxmox", "tls", "ca"],
    {
      message: `proxmox.tls.ca names a file that ${found.wrong}`,
      hint: "copy /etc/pve/pve-root-ca.pem from a Proxmox host into the environment's folder and name it here",
    },
    "CONFIG_VALUE",
  );
  return undefined;
}
