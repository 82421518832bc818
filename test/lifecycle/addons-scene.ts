import type { ChartFiles } from "@talosmith/lab/charts/chart.ts";
import type { Stages } from "../../src/workflows/stages.ts";
import { type Insider, insiderWith } from "../support/cluster.ts";
import type { ConfigWishes } from "../support/config.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { said, text } from "./invariants.ts";
import { FOLDER, Scene } from "./scene.ts";

/** A user's own chart, which depends on its values. */
const WEB: ChartFiles = {
  "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.3\n",
  "values.yaml": "replicas: 1\n",
  "values.schema.json": JSON.stringify({ type: "object", properties: { replicas: { type: "integer" } } }),
  "templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata: { labels: { app: {{ .Release.Name }} } }
    spec: { containers: [{ name: web, image: "docker.io/library/nginx:1.29" }] }
`,
};

const UNTIL_BOOTSTRAP: Stages = { from: "preflight", until: "bootstrap" };
/** A secret value planted into the cluster, which must not appear in output. */
export const PLANTED = "planted-word-93c2";

export interface WebWishes {
  version?: string;
  replicas?: string;
  helmImage?: string;
  /** Omits the chart or the manifest. */
  without?: "web" | "hello";
}

/** Cilium, two presets, a chart, a manifest and a Secret on two nodes. */
export function addonWishes(
  { at }: Scene,
  { version = "1.2.3", replicas = "1", helmImage, without }: WebWishes = {},
): ConfigWishes {
  const repository = `repository: "${at.charts}"`;
  return {
    cilium: true,
    workers: 1,
    addons: [
      `metricsServer: { ${repository} }`,
      `localPath: { ${repository} }`,
      `secrets: [{ name: planted, namespace: default, data: { word: "\${env:PLANTED}" } }]`,
      ...(without === "web"
        ? []
        : [
            `charts: [{ name: web, chart: web, ${repository}, version: ${version}, namespace: web, values: { replicas: ${replicas} } }]`,
          ]),
      ...(without === "hello"
        ? []
        : [
            `manifests: [{ inline: { apiVersion: v1, kind: ConfigMap, metadata: { name: hello, namespace: default }, data: { greeting: hello } } }]`,
          ]),
      ...(helmImage === undefined ? [] : [`helmImage: ${helmImage}`]),
    ],
  };
}

export async function openAddons(seed: string): Promise<Scene> {
  const scene = await Scene.open(seed, { cluster: true, charts: [WEB] });
  scene.env = { PLANTED };
  return scene;
}

/** A bootstrapped cluster without addons: its nodes are not Ready, because there is no network. */
export async function bootstrappedIn(scene: Scene): Promise<VolatileFiles> {
  const files = scene.folder(addonWishes(scene));
  const outcome = await scene.up(files, { stages: UNTIL_BOOTSTRAP });
  if (outcome.exitCode !== 0) throw new Error(`there is no cluster for addons: ${said(outcome)}`);
  return files;
}

interface LabObject {
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  status?: { conditions?: { type: string; status: string }[] };
}

/** Objects of the lab's only cluster, by resource: "nodes", "jobs.batch". */
export function objectsIn({ lab }: Scene, resource: string): LabObject[] {
  const { clusters } = lab.state<{ clusters: Record<string, { objects: Record<string, Record<string, LabObject>> }> }>(
    "kubernetes",
  );
  return Object.values(clusters).flatMap(({ objects }) => Object.values(objects[resource] ?? {}));
}

export function allNodesReady(scene: Scene): boolean {
  const nodes = objectsIn(scene, "nodes");
  const isReady = ({ status }: LabObject) =>
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
  return nodes.length === 2 && nodes.every(isReady);
}

export const releaseOf = ({ metadata }: LabObject) => metadata.labels?.["talosmith.dev/release"] ?? "?";

/** Rights and values of finished Jobs that were not removed. */
export function leftRights(scene: Scene): string[] {
  return ["clusterrolebindings.rbac.authorization.k8s.io", "serviceaccounts", "secrets"].flatMap((resource) =>
    objectsIn(scene, resource)
      .filter(({ metadata }) => metadata.labels?.["talosmith.dev/release"] !== undefined)
      .map(({ metadata }) => `${resource} ${metadata.name} is left`),
  );
}

export function personIn(scene: Scene, files: VolatileFiles): Insider {
  return insiderWith(text(files, `${FOLDER}/secrets.yaml`) ?? "", `${scene.at.block}.11`);
}
