import type { Trust, World } from "@talosmith/lib/world/world.ts";
import { certificateOf } from "./certificate-file.ts";
import type { Report } from "./report.ts";
import type { Draft } from "./shape.ts";

/** By what the Proxmox API is known to be the right one. undefined when that cannot be said, which is then reported. */
export function trustOf(draft: Draft, world: World, folder: string, report: Report): Trust | undefined {
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
