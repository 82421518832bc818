import { type Check, check } from "../../../engine/step.ts";
import { isOlder, type Release } from "../rights/release.ts";
import type { Site } from "../site.ts";
import { fail, ok } from "./finding.ts";
import { release, runningVersion } from "./look.ts";

/** The oldest version whose `import` content type takes disk images. */
const OLDEST: Release = { major: 8, minor: 4 };
/** The newest major version that talosmith is tested with. */
const NEWEST_MAJOR = 9;

export const PREFLIGHT = "preflight/proxmox";

/** Checks that Proxmox accepts the login and has a supported version. */
export function proxmoxAnswers(site: Site): Check {
  const { client, env } = site;
  return check({
    id: PREFLIGHT,
    stage: "preflight",
    title: `Proxmox at ${client.host}`,
    run: async (c) => {
      const running = await runningVersion(site, c);
      const seen = await release(site, c);
      if (isOlder(seen, OLDEST))
        return [
          fail(
            "PROXMOX_OLD",
            `Proxmox VE ${running} is too old`,
            `upgrade it to ${OLDEST.major}.${OLDEST.minor} or newer: older versions cannot import disk images through the API`,
          ),
        ];
      const { tls } = env.config.proxmox;
      const pinned = tls.by === "fingerprint" ? `, certificate pinned ${shortened(tls.fingerprint)}` : "";
      if (seen.major > NEWEST_MAJOR)
        return [
          {
            level: "warn",
            code: "PROXMOX_NEW",
            message: `Proxmox VE ${running}${pinned}: talosmith has not been tested with Proxmox VE ${seen.major}`,
            hint: "privileges and options may have changed; try it first with a cluster you can afford to lose",
          },
        ];
      return [ok("PROXMOX_VERSION", `Proxmox VE ${running}${pinned}`)];
    },
  });
}

function shortened(fingerprint: string): string {
  const pairs = fingerprint.split(":");
  return pairs.length < 6 ? fingerprint : [...pairs.slice(0, 2), "…", ...pairs.slice(-1)].join(":");
}
