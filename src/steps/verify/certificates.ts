import { messageOf } from "@talosmith/lib/errors.ts";
import type { Check, Finding } from "../../engine/step.ts";
import { endOfCertificate } from "../../kubernetes/health-certificates.ts";
import { presentedUntil } from "../../kubernetes/presented-certificate.ts";
import { readBundle } from "../generate/secrets-bundle.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

const API_PORT = 6443;

/** Checks that no API server's certificate expires soon. Client certificates are checked by `verify/access`. */
export function certificates(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "certificates",
    title: "certificates",
    until: "certificates are valid",
    look: async (see, { signal, world }) => {
      const { certificate: ca } = readBundle(world, cluster.env, cluster.redactor).certs.k8s;
      const shown = see.controlPlanes.map(async (node) => {
        const until = presentedUntil(cluster.near, { host: node.ip, port: API_PORT }, ca, signal);
        return judged(node, await until.catch((error: unknown) => unseen(error, signal)), world.clock.now());
      });
      const findings = (await Promise.all(shown)).flat();
      return orFine(findings, "API_CERTIFICATE", "the API servers' certificates do not expire soon");
    },
  });
}

/** Silent servers are reported by other checks, certificates here. */
function unseen(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  return messageOf(error);
}

function judged({ name, ip }: { name: string; ip: string }, until: number | string, now: number): Finding[] {
  const code = "API_CERTIFICATE";
  const hint = `Talos renews it automatically; if it does not, reboot the node:  talosctl reboot -n ${ip}`;
  if (typeof until === "string")
    return [{ level: "fail", code, message: `${name}: its API server shows no certificate of this cluster: ${until}`, hint }];
  const end = endOfCertificate(until, now);
  return end === undefined ? [] : [{ level: "warn", code, message: `${name}: its API server's certificate ${end}`, hint }];
}
