import { type Check, check } from "../../../engine/step.ts";
import { certificates } from "../client/nodes.ts";
import type { Site } from "../site.ts";
import { fail, ok, warn } from "./finding.ts";
import { nothing } from "./kinds.ts";
import { clusterOf } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

const DAY_S = 24 * 3600;
/** Proxmox renews its own certificate two weeks before it expires. */
const SOON_DAYS = 14;

/** Checks how long the certificate of the connected host remains valid. */
export function certificateLasts(site: Site): Check {
  const { client, env } = site;
  return check({
    id: "doctor/certificate",
    stage: "preflight",
    title: "certificate of the Proxmox API",
    needs: [{ step: PREFLIGHT }],
    before: nothing,
    run: async (c) => {
      const { tls } = env.config.proxmox;
      // Uses the host's name: for "localhost" Proxmox looks in a folder that does not exist, and returns only its root certificate.
      const { local } = await clusterOf(site, c);
      const all = await certificates(client, local, c.signal);
      const used =
        (tls.by === "fingerprint"
          ? all.find((one) => one.fingerprint.toUpperCase() === tls.fingerprint.toUpperCase())
          : undefined) ??
        all.find(({ file }) => file === "pveproxy-ssl.pem") ??
        all.find(({ file }) => file === "pve-ssl.pem");
      if (!used)
        return [
          warn(
            "CERTIFICATE_UNKNOWN",
            `${local} does not report when its certificate expires`,
            `check it in the Proxmox UI: ${local}, System, Certificates`,
          ),
        ];
      const days = Math.floor((used.expires - c.world.clock.now() / 1000) / DAY_S);
      if (days > SOON_DAYS) return [ok("CERTIFICATE", `${used.file} is valid for ${days} more days`)];
      if (tls.by === "fingerprint")
        return [
          warn(
            "CERTIFICATE_ENDS",
            days < 0 ? `${used.file} has expired` : `${used.file} ends in ${days} days`,
            "a renewed certificate has another fingerprint: copy it from the Proxmox UI (host, System, Certificates) to proxmox.tls.fingerprint",
          ),
        ];
      const finding = days < 0 ? fail : warn;
      return [
        finding(
          "CERTIFICATE_ENDS",
          days < 0 ? `${used.file} has expired` : `${used.file} ends in ${days} days`,
          "renew it in the Proxmox UI: host, System, Certificates",
        ),
      ];
    },
  });
}
