import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { type KubernetesClient, openKubernetes } from "../../src/kubernetes/client/kubernetes-client.ts";
import type { KubernetesObject } from "../../src/kubernetes/objects.ts";
import { kubernetesAccess } from "../../src/talos/access/kubernetes-access.ts";
import { talosNodes } from "../../src/talos/api/client.ts";
import type { TalosNodes } from "../../src/talos/api/talos-nodes.ts";
import { readSecrets } from "../../src/talos/secrets/read.ts";

/** A user with the folder's secrets who changes the cluster without talosmith. */
export interface Insider {
  talos: TalosNodes;
  kubernetes: KubernetesClient;
  close(): void;
}

export function insider(folder: string, controlPlane: string): Insider {
  return insiderWith(readFileSync(join(folder, "secrets.yaml"), "utf8"), controlPlane);
}

export function insiderWith(secretsText: string, controlPlane: string): Insider {
  const world = realWorld();
  const redactor = new Redactor();
  const secrets = readSecrets(secretsText, { file: "secrets.yaml", redactor });
  const talos = talosNodes(world, () => secrets);
  const kubernetes = openKubernetes(world, async () => {
    const { key, ...access } = await kubernetesAccess(world, secrets, redactor);
    return { ...access, key: key.reveal(), servers: [`https://${controlPlane}:6443`] };
  });
  return {
    talos,
    kubernetes,
    close: () => {
      talos.close();
      kubernetes.close();
    },
  };
}

interface ReleaseSecret extends KubernetesObject {
  type: string;
  data: { release: string };
}

/** The effect of `helm upgrade --reuse-values --set …`: a new revision with other values, the old one superseded. */
export async function setHelmValue(
  kubernetes: KubernetesClient,
  release: string,
  change: (values: object) => object,
): Promise<void> {
  const { signal } = new AbortController();
  const all = await kubernetes.list<ReleaseSecret>(
    { apiVersion: "v1", kind: "Secret", namespace: "kube-system", labelSelector: `owner=helm,name=${release}` },
    signal,
  );
  const last = all.sort((a, b) => Number(a.metadata.labels?.version) - Number(b.metadata.labels?.version)).at(-1);
  if (!last) throw new Error(`there is no release ${release}`);
  const decoded = JSON.parse(gunzipSync(Buffer.from(Buffer.from(last.data.release, "base64").toString(), "base64")).toString());
  const version = Number(last.metadata.labels?.version) + 1;
  const encoded = (value: object) => Buffer.from(gzipSync(JSON.stringify(value)).toString("base64")).toString("base64");
  await kubernetes.create<ReleaseSecret>(
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "helm.sh/release.v1",
      metadata: {
        name: `sh.helm.release.v1.${release}.v${version}`,
        namespace: "kube-system",
        labels: { ...last.metadata.labels, version: String(version), status: "deployed" },
      },
      data: { release: encoded({ ...decoded, version, config: change(decoded.config) }) },
    },
    signal,
  );
}
