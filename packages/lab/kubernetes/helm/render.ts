import { parseAllDocuments } from "yaml";
import type { Loose, Manifest } from "../objects.ts";
import { type Chart, textOf } from "./chart.ts";
import { hookOf } from "./hook-record.ts";
import type { Hook } from "./release.ts";
import { schemaProblems } from "./schema.ts";
import { Templates } from "./template/evaluate.ts";
import { coalesce } from "./values.ts";

export interface RenderFor {
  name: string;
  namespace: string;
  revision: number;
  isInstall: boolean;
  kubeVersion: string;
  apiVersions: readonly string[];
}

export interface Rendered {
  /** As stored in the release. */
  manifest: string;
  objects: Manifest[];
  hooks: Hook[];
  notes: string;
  /** Definitions in crds/, applied before everything else. */
  definitions: Manifest[];
}

/** The order in which objects are created; other kinds come last. */
const ORDER =
  `PriorityClass Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret SecretList
  ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole ClusterRoleList ClusterRoleBinding
  ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service DaemonSet Pod ReplicationController ReplicaSet Deployment
  HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress APIService`.split(/\s+/);

export function render(chart: Chart, given: Loose, how: RenderFor): Rendered {
  const { name } = chart.metadata;
  const files = Object.fromEntries(chart.templates.map((file) => [`${name}/${file.name}`, textOf(file)]));
  const templates = new Templates(files);
  const root = rootOf(chart, given, how);
  refuseValues(chart, root.Values);
  const documents: { source: string; text: string; object: Manifest }[] = [];
  let notes = "";
  for (const file of Object.keys(files).sort()) {
    const base = file.slice(file.lastIndexOf("/") + 1);
    if (base.startsWith("_")) continue;
    const text = templates.render(file, { ...root, Template: { Name: file, BasePath: `${name}/templates` } });
    if (base === "NOTES.txt") notes = text;
    else documents.push(...split(file, text));
  }
  const isHook = ({ object }: { object: Manifest }) => object.metadata.annotations?.["helm.sh/hook"] !== undefined;
  const sorted = documents.filter((it) => !isHook(it)).sort((a, b) => compareKinds(a.object.kind, b.object.kind));
  return {
    manifest: sorted.map(({ source, text }) => `---\n# Source: ${source}\n${text}\n`).join(""),
    objects: sorted.map(({ object }) => object),
    hooks: documents
      .filter(isHook)
      .sort((a, b) => compareKinds(a.object.kind, b.object.kind))
      .map(({ source, text, object }) => hookOf(source, text, object)),
    notes,
    definitions: chart.files
      .filter((file) => file.name.startsWith("crds/"))
      .flatMap((file) => split(file.name, textOf(file)).map(({ object }) => object)),
  };
}

/** Kinds that Helm does not know come last, sorted by name. */
function compareKinds(a: string, b: string): number {
  const [first, second] = [ORDER.indexOf(a), ORDER.indexOf(b)];
  if (first < 0 && second < 0) return a < b ? -1 : a > b ? 1 : 0;
  return (first < 0 ? ORDER.length : first) - (second < 0 ? ORDER.length : second);
}

/** The reverse order, but Services go before the objects behind them, and kinds that Helm does not know go last as well. */
export function uninstallOrder(objects: readonly Manifest[]): Manifest[] {
  const order = ["APIService", "Ingress", "IngressClass", "Service", ...[...ORDER].reverse()];
  const place = ({ kind }: Manifest) => (order.includes(kind) ? order.indexOf(kind) : order.length);
  return [...objects].sort((a, b) => place(a) - place(b));
}

function refuseValues({ metadata, schema }: Chart, values: Loose): void {
  if (schema === null) return;
  const problems = schemaProblems(JSON.parse(Buffer.from(schema, "base64").toString("utf8")), values);
  if (problems.length === 0) return;
  throw new Error(
    `values don't meet the specifications of the schema(s) in the following chart(s):\n${metadata.name}:\n${problems.join("\n")}\n`,
  );
}

function rootOf(chart: Chart, given: Loose, how: RenderFor): Loose {
  const [, major = "1", minor = "0"] = /^v(\d+)\.(\d+)/.exec(how.kubeVersion) ?? [];
  const contents = new Map(chart.files.map((file) => [file.name, textOf(file)]));
  const capitalised = Object.fromEntries(
    Object.entries(chart.metadata as Record<string, Loose>).map(([key, value]) => [
      key.charAt(0).toUpperCase() + key.slice(1),
      value,
    ]),
  );
  return {
    Values: coalesce(chart.values, given),
    Chart: { ...capitalised, APIVersion: chart.metadata.apiVersion },
    Release: {
      Name: how.name,
      Namespace: how.namespace,
      Revision: how.revision,
      IsInstall: how.isInstall,
      IsUpgrade: !how.isInstall,
      Service: "Helm",
    },
    Capabilities: {
      KubeVersion: { Version: how.kubeVersion, GitVersion: how.kubeVersion, Major: major, Minor: minor },
      APIVersions: {
        Has: (version: string) => how.apiVersions.some((known) => known === version || version.startsWith(`${known}/`)),
      },
      HelmVersion: { Version: "v3.19.0" },
    },
    Files: { Get: (path: string) => contents.get(path) ?? "" },
    Subcharts: {},
  };
}

function split(source: string, text: string): { source: string; text: string; object: Manifest }[] {
  const parts = text.split(/^---[ \t]*$/m).map((part) => part.replace(/^\n+/, "").trimEnd());
  return parts
    .filter((part) => part.trim() !== "")
    .flatMap((part) => {
      const object = readManifest(source, part);
      return object ? [{ source, text: part, object }] : [];
    });
}

function readManifest(source: string, text: string): Manifest | undefined {
  const [document] = parseAllDocuments(text, { version: "1.1" });
  if (!document || !("toJS" in document)) return undefined;
  const [problem] = document.errors;
  if (problem) throw new Error(`YAML parse error on ${source}: error converting YAML to JSON: yaml: ${problem.message}`);
  const object: Loose = document.toJS();
  if (object === null || object === undefined) return undefined;
  if (typeof object.kind !== "string")
    throw new Error(
      `unable to build kubernetes objects from release manifest: error validating "": error validating data: kind not set`,
    );
  return { ...object, metadata: object.metadata ?? {} };
}

/** The objects of a stored manifest. */
export function objectsOf(manifest: string): Manifest[] {
  return split("release manifest", manifest).map(({ object }) => object);
}
