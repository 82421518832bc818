import type { Trust, World } from "../lib/world/world.ts";
import { decodeUtf8 } from "../lib/yaml/source.ts";
import { readBytes } from "./files.ts";
import { expandPath } from "./references.ts";
import type { Report } from "./report.ts";
import type { Draft } from "./shape.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

/** By what the Proxmox API is known to be the right one. undefined when that cannot be said, which is then reported. */
export function trustOf(draft: Draft, world: World, folder: string, report: Report): Trust | undefined {
  const tls = draft.proxmox?.tls;
  if (tls === "system") return { by: "system" };
  if (tls?.fingerprint !== undefined) return { by: "fingerprint", fingerprint: tls.fingerprint.toUpperCase() };
  if (tls?.ca === undefined) return undefined;
  // ${file:ca.pem} has brought the certificate itself.
  if (CERTIFICATE.test(tls.ca)) return { by: "ca", pem: tls.ca };
  const path = expandPath(tls.ca, world, folder);
  const bytes = path === undefined ? "has a ~ that stands for nothing, since HOME is not set" : readBytes(world.files, path);
  const text = typeof bytes === "string" ? undefined : decodeUtf8(bytes);
  if (text !== undefined && "text" in text && CERTIFICATE.test(text.text)) return { by: "ca", pem: text.text };
  const wrong = typeof bytes === "string" ? bytes : "holds no certificate";
  report.problem(
    ["proxmox", "tls", "ca"],
    {
      message: `proxmox.tls.ca names a file that ${wrong}`,
      hint: "copy /etc/pve/pve-root-ca.pem from a Proxmox host into the environment's folder and name it here",
    },
    "CONFIG_VALUE",
  );
  return undefined;
}
