import { userError } from "@talosmith/lib/errors.ts";
import type { Lab, Strike } from "../kernel/kernel.ts";
import { derivedUuid } from "../talos/identity.ts";
import { livingClusters, type SimulatedCluster } from "./cluster.ts";
import { decodeRelease, encodeRelease } from "./helm/release.ts";
import type { KubeObject } from "./objects.ts";
import { all, put } from "./store/store.ts";

const SECRETS = { group: "", resource: "secrets" };

/** Strikes on clusters, while one has an answering API. */
export const strikes: Record<string, Strike> = {
  "helm-cut-off": {
    title: "Helm is killed in the middle of an upgrade: the release's next revision stays pending",
    args: ["release"],
    run: (lab, [name = ""]) => {
      const { cluster, last } = lastRevision(lab, name);
      const release = decodeRelease(last);
      const version = release.version + 1;
      const info = { ...release.info, status: "pending-upgrade", description: "Preparing upgrade" };
      const secret = `sh.helm.release.v1.${name}.v${version}`;
      put(cluster, SECRETS, {
        ...last,
        metadata: {
          ...last.metadata,
          name: secret,
          uid: derivedUuid(lab, "helm-cut-off", secret, cluster.state.revision),
          labels: { ...last.metadata.labels, status: info.status, version: String(version) },
        },
        data: { release: encodeRelease({ ...release, version, info }) },
      });
    },
  },
};

function lastRevision(lab: Lab, name: string): { cluster: SimulatedCluster; last: KubeObject } {
  const records = livingClusters(lab).flatMap((cluster) =>
    all(cluster, SECRETS)
      .filter(({ metadata }) => metadata.labels?.owner === "helm")
      .map((secret) => ({ cluster, secret, name: metadata(secret, "name"), version: Number(metadata(secret, "version")) })),
  );
  const [newest] = records.filter((one) => one.name === name).sort((one, other) => other.version - one.version);
  if (newest) return { cluster: newest.cluster, last: newest.secret };
  const known = [...new Set(records.map((one) => one.name))].join(", ");
  throw userError("LAB_STRIKE", {
    message: `Unable to interrupt Helm: no cluster of this lab has a release ${name}`,
    hint: `choose among ${known || "none: install an addon first"}`,
  });
}

function metadata({ metadata: { labels } }: KubeObject, key: string): string {
  return labels?.[key] ?? "";
}
