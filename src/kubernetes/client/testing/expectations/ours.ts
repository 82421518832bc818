import { Secret } from "@talosmith/lib/secret.ts";
import { describe, expect, test } from "vitest";
import type { Addon, ClusterFacts, Manifest } from "../../../../catalog/addons/addon.ts";
import { PRESETS } from "../../../../catalog/addons/presets.ts";
import { installerFor, uninstallerFor } from "../../../helm/installer.ts";
import type { KubernetesObject } from "../../../objects.ts";
import { type Loose, type Place, signal } from "./place.ts";

const PATHS: Record<string, string> = {
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  ServiceAccount: "/api/v1/namespaces/kube-system/serviceaccounts",
  Secret: "/api/v1/namespaces/kube-system/secrets",
  Job: "/apis/batch/v1/namespaces/kube-system/jobs",
};

const RELEASE = {
  name: "cilium",
  namespace: "kube-system",
  chart: "cilium",
  repository: "https://charts.example.org",
  version: "1.20.1",
  values: { a: { b: 1 } },
  labels: { "talosmith.dev/environment": "x" },
  helmImage: "example.org/helm:1",
};

/** Old enough that a GPU needs talosmith's RuntimeClass. */
const FACTS: ClusterFacts = {
  name: "x",
  talos: "v1.12.4",
  kubernetes: "v1.36.3",
  platform: "proxmox",
  controlPlanes: 3,
  workers: 2,
  gpuNodes: 1,
  scheduleOnControlPlanes: false,
  podSubnets: ["10.244.0.0/16"],
  serviceSubnets: ["10.96.0.0/12"],
  proxmox: { url: "https://10.0.0.2:8006", trusted: "system", hosts: ["pve1"] },
};

const url = "ssh://git@git.example.org/x.git";
const [key, password, token] = ["key", "password", "user@pve!name=uuid"].map((text) => new Secret(text)) as [
  Secret,
  Secret,
  Secret,
];
const destination = { type: "prometheus", url: "https://metrics.example.org/push", username: "x", password } as const;

/** With every option that adds objects. */
const ADDONS: Record<string, Addon> = {
  cilium: PRESETS.cilium.make({ loadBalancer: { addresses: ["10.0.0.240-10.0.0.250"], announce: "l2" } }, FACTS),
  flux: PRESETS.flux.make({ url, key, knownHosts: "x", ageKey: key }, FACTS),
  argocd: PRESETS.argocd.make({ url, key }, FACTS),
  metricsServer: PRESETS.metricsServer.make({}, FACTS),
  nvidia: PRESETS.nvidia.make({}, FACTS),
  monitoring: PRESETS.monitoring.make({ destinations: { metrics: destination } }, FACTS),
  longhorn: PRESETS.longhorn.make({}, FACTS),
  localPath: PRESETS.localPath.make({}, FACTS),
  proxmoxCsi: PRESETS.proxmoxCsi.make({ token, classes: [{ name: "fast", storage: "local-lvm" }] }, FACTS),
  proxmoxCcm: PRESETS.proxmoxCcm.make({ token }, FACTS),
};

/** Only of Kubernetes' own kinds: custom kinds have their own validation. */
function objectsOf({ parts }: Addon): (Manifest & KubernetesObject)[] {
  const all = parts.flatMap((part) => (part.kind === "objects" ? part.objects : []));
  return all.filter(({ apiVersion }) => /^(v1$|apps\/|batch\/|[a-z.]+\.k8s\.io\/)/.test(apiVersion)) as (Manifest &
    KubernetesObject)[];
}

/** Without fields that controllers may have written meanwhile. */
function wish(object: Loose): object {
  const { status: _, metadata, ...rest } = object;
  const { resourceVersion: _version, managedFields: _fields, annotations: _notes, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

/** The objects that talosmith applies, validated by a server that refuses unknown fields. */
export function ourObjectExpectations(place: () => Place): void {
  const admin = () => place().admin;

  describe("our own objects", () => {
    test.each(
      Object.entries({ install: installerFor(RELEASE), remove: uninstallerFor(RELEASE, RELEASE.helmImage) }).flatMap(
        ([what, objects]) => Object.values(objects).map((object: KubernetesObject) => [what, object.kind, object] as const),
      ),
    )("%s: %s", async (_, kind, object) => {
      const path = `${PATHS[kind]}?dryRun=All&fieldValidation=Strict&fieldManager=talosmith`;
      const { status, body, warnings } = await admin().call("POST", path, { body: object });
      expect([body.message, warnings]).toEqual([undefined, []]);
      expect(status).toBe(201);
    });

    test.each(Object.entries(ADDONS).filter(([, addon]) => objectsOf(addon).length > 0))("of the addon %s", async (_, addon) => {
      for (const object of objectsOf(addon)) {
        const made = await admin().client.apply(object, signal);
        expect(made.metadata).toMatchObject(object.metadata);
        // The basis of the plan: once applied, nothing differs.
        expect(wish(await admin().client.tryApply(object, signal))).toEqual(wish(made));
      }
    });
  });
}
