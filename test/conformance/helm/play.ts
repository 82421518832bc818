import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { chartsService } from "@talosmith/lab/charts/service.ts";
import { Bench } from "@talosmith/lab/kubernetes/testing/bench.ts";
import { helmCommand } from "../../../src/kubernetes/helm/installer.ts";
import type { HelmRelease } from "../../../src/kubernetes/helm/release.ts";
import { HELLO } from "./hello.ts";

// biome-ignore lint/suspicious/noExplicitAny: what programs printed, of every shape.
type Any = any;

/** The product's own command, run by the real helm and by the lab's in a pod of the same cluster: the same words, the same records. */
const [helm = "", folder = ""] = process.argv.slice(2);

const bench = await Bench.open({ timeScale: 200, services: [chartsService({ charts: [HELLO] })] });
const { admin } = bench;
const charts = bench.lab.published().charts?.url ?? "";
const NAMESPACE = "kube-system";
await admin.create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: "helm" } });
await admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
  metadata: { name: "helm" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ kind: "ServiceAccount", name: "helm", namespace: NAMESPACE }],
});
const granted = await admin.create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/helm/token`, {
  apiVersion: "authentication.k8s.io/v1",
  kind: "TokenRequest",
  spec: { expirationSeconds: 86_400 },
});
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "ca.crt"), bench.ca);

interface Outcome {
  ok: boolean;
  text: string;
}

/** What the pod has by its service account, told by variables. */
async function real(args: readonly string[], values: object = {}): Promise<Outcome> {
  const file = join(folder, "values.yaml");
  writeFileSync(file, JSON.stringify(values));
  const env = {
    HOME: folder,
    HELM_KUBEAPISERVER: bench.server,
    HELM_KUBETOKEN: granted.status.token,
    HELM_KUBECAFILE: join(folder, "ca.crt"),
  };
  const given = args.map((word) => (word === "/values/values.yaml" ? file : word));
  return new Promise((done) => {
    execFile(helm, given, { env, timeout: 600_000 }, (error, stdout, stderr) => {
      done({ ok: error === null, text: error === null ? stdout : `${stdout}${stderr}` });
    });
  });
}

let runs = 0;
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;

async function labs(args: readonly string[], values: object = {}): Promise<Outcome> {
  const name = `helm-${++runs}`;
  await admin.create(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
    metadata: { name },
    stringData: { "values.yaml": JSON.stringify(values) },
  });
  await admin.create(JOBS, {
    metadata: { name },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: "Never",
          hostNetwork: true,
          serviceAccountName: "helm",
          tolerations: [{ operator: "Exists" }],
          volumes: [{ name: "values", secret: { secretName: name } }],
          containers: [
            {
              name: "helm",
              image: "docker.io/alpine/helm:3.18.6",
              command: ["helm", ...args],
              env: [
                { name: "KUBERNETES_SERVICE_HOST", value: "localhost" },
                { name: "KUBERNETES_SERVICE_PORT", value: "7445" },
              ],
              volumeMounts: [{ name: "values", mountPath: "/values" }],
            },
          ],
        },
      },
    },
  });
  const condition: Any = await bench.until(async () => {
    const conditions: Any[] = (await admin.get(`${JOBS}/${name}`)).status?.conditions ?? [];
    return conditions.find(({ type }) => type === "Complete" || type === "Failed");
  }, name);
  const { items } = await admin.get(`/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=job-name%3D${name}`);
  const log = await admin.call("GET", `/api/v1/namespaces/${NAMESPACE}/pods/${items[0].metadata.name}/log`);
  return { ok: condition.type === "Complete", text: log.text };
}

function wish(name: string, more: Partial<HelmRelease> = {}): HelmRelease {
  return {
    name,
    namespace: "apps",
    chart: "hello",
    repository: charts,
    version: "1.0.0",
    values: {},
    helmImage: "docker.io/alpine/helm:3.18.6",
    labels: { "talosmith.dev/environment": "home-1234" },
    ...more,
  } as HelmRelease;
}

const command = (release: HelmRelease) => helmCommand(release).slice(1);
const good = ({ ok, text }: Outcome) => assert.ok(ok, text);

/** The records of a release without what differs by nature: its name, and when. */
async function records(name: string): Promise<Any[]> {
  const { items } = await admin.get(`/api/v1/namespaces/apps/secrets?labelSelector=owner%3Dhelm,name%3D${name}`);
  const all = items.map(({ metadata, type, data }: Any) => {
    const packed = Buffer.from(Buffer.from(data.release, "base64").toString(), "base64");
    const { modifiedAt, createdAt, ...labels } = metadata.labels;
    const release = JSON.parse(gunzipSync(packed).toString());
    for (const key of ["first_deployed", "last_deployed", "deleted"]) release.info[key] &&= "TIME";
    for (const hook of release.hooks ?? []) for (const key of ["started_at", "completed_at"]) hook.last_run[key] &&= "TIME";
    // Helm keeps a chart's files in the order of its archive.
    for (const key of ["templates", "files"]) release.chart[key].sort((a: Any, b: Any) => (a.name < b.name ? -1 : 1));
    return {
      name: metadata.name,
      type,
      labels,
      marked: { modifiedAt: modifiedAt !== undefined, createdAt: createdAt !== undefined },
      release,
    };
  });
  return JSON.parse(JSON.stringify(all).replaceAll(name, "NAME"));
}

async function same(what: string, one: string, other: string): Promise<void> {
  assert.deepEqual(await records(one), await records(other), what);
}

/** Lines of two programs about the same thing, without the release's name and the time. */
const words = (name: string, text: string) =>
  text
    .replaceAll(name, "NAME")
    .replace(/LAST DEPLOYED: .*/g, "LAST DEPLOYED: TIME")
    .trim();

const values = { text: "hello", list: [3], nested: { on: true } };
const [first, second] = [await real(command(wish("realone")), values), await labs(command(wish("labsone")), values)];
good(first);
good(second);
assert.equal(words("labsone", second.text), words("realone", first.text), "what is printed at the installation");
await same("what is recorded of an installation", "labsone", "realone");

const registry = { repository: `${charts.replace("http:", "oci:")}/charts` };
good(await real([...command(wish("realoci", registry)), "--plain-http"], values));
await same("a chart from an OCI registry", "realoci", "realone");

const changed = { ...values, text: "changed", extra: false };
const [third, fourth] = [await real(command(wish("realone")), changed), await labs(command(wish("labsone")), changed)];
good(third);
good(fourth);
assert.equal(words("labsone", fourth.text), words("realone", third.text), "what is printed at an upgrade");
await same("what is recorded of an upgrade", "labsone", "realone");
assert.equal(
  (await admin.call("GET", "/apis/example.org/v1/namespaces/apps/greetings/labsone")).status,
  404,
  "what left the chart is gone",
);

const refusals: [string, string[], object][] = [
  ["no such version", command(wish("x1", { version: "9.9.9" })), {}],
  ["no such chart", command(wish("x2", { chart: "nothing" })), {}],
  ["no such repository", command(wish("x3", { repository: `${charts}/nowhere` })), {}],
  ["values against the schema", command(wish("x4")), { replicas: "many" }],
  ["values of a wrong type", command(wish("x5")), { replicas: 1.5, text: 7 }],
  ["a namespace of nobody's", ["uninstall", "nothing", "--namespace", "apps"], {}],
  ["labels that are Helm's", [...command(wish("x6")), "--labels", "owner=me"], {}],
];
const errorOf = (text: string) => text.slice(text.indexOf("Error: ")).split("\n").sort().join("\n").trim();
for (const [what, args, given] of refusals) {
  const [theirs, ours] = [await real(args, given), await labs(args, given)];
  assert.deepEqual([theirs.ok, ours.ok], [false, false], what);
  assert.equal(errorOf(ours.text), errorOf(theirs.text), what);
}

// The real helm goes on with what the lab's made.
const asked = async (...args: string[]): Promise<string> => {
  const outcome = await real([...args, "--namespace", "apps"]);
  good(outcome);
  return outcome.text;
};
const listed: Any[] = JSON.parse(await asked("list", "--output", "json"));
assert.deepEqual(
  listed.map(({ name, revision, status, chart, app_version: app }) => [name, revision, status, chart, app]),
  [
    ["labsone", "2", "deployed", "hello-1.0.0", "2.0.0"],
    ["realoci", "1", "deployed", "hello-1.0.0", "2.0.0"],
    ["realone", "2", "deployed", "hello-1.0.0", "2.0.0"],
  ],
  "helm list",
);
assert.deepEqual(JSON.parse(await asked("get", "values", "labsone", "--output", "json")), changed, "helm get values");
assert.equal(
  (await asked("get", "manifest", "labsone")).replaceAll("labsone", "NAME"),
  (await asked("get", "manifest", "realone")).replaceAll("realone", "NAME"),
  "helm get manifest",
);
assert.match(await asked("status", "labsone"), /STATUS: deployed[\s\S]*Hello from labsone: changed/, "helm status");
assert.deepEqual(
  JSON.parse(await asked("history", "labsone", "--output", "json")).map(({ revision, status, description }: Any) => [
    revision,
    status,
    description,
  ]),
  [
    [1, "superseded", "Install complete"],
    [2, "deployed", "Upgrade complete"],
  ],
  "helm history",
);
await asked("rollback", "labsone", "1");
assert.equal((await admin.get("/api/v1/namespaces/apps/configmaps/labsone")).data.text, "hello", "helm rollback");
assert.equal(await asked("uninstall", "labsone"), 'release "labsone" uninstalled\n', "helm uninstall");
const removed = await labs(["uninstall", "realone", "--namespace", "apps"]);
assert.equal(removed.text, 'release "realone" uninstalled\n', "the lab's helm removes what the real one made");
assert.deepEqual(
  (await admin.get("/api/v1/namespaces/apps/configmaps")).items.map(({ metadata }: Any) => metadata.name).sort(),
  ["kube-root-ca.crt", "realoci"],
  "what is left",
);
await bench.close();
console.log(JSON.stringify({ refusals: refusals.length }));
