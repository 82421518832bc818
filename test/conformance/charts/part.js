import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { execute } from "../execute.js";
import { realHelm } from "../helm/binary.js";
import { runOurs } from "../oracle.js";
import { CHECKS } from "./checks.js";
import { fromModule } from "./from-module.js";
import { problemsOf } from "./schema.js";
import { unknownPaths } from "./value-paths.js";

/**
 * The charts that are inside Go modules. The others were rendered once by hand with the same values, from their own repositories at the
 * versions that the presets name (November 2026): flux2, argo-cd, gpu-operator, nvidia-device-plugin, k8s-monitoring, longhorn,
 * proxmox-csi-plugin and both cloud controllers. No value was unknown to its chart; `hostMetrics.linuxHosts` is one of a chart inside k8s-monitoring.
 */
export const CHARTS = {
  cilium: ["github.com/cilium/cilium", "v1.20.2", "install/kubernetes/cilium"],
  "metrics-server": ["sigs.k8s.io/metrics-server", "v0.9.0", "charts/metrics-server"],
  "cert-manager": ["github.com/cert-manager/cert-manager", "v1.21.2", "deploy/charts/cert-manager"],
  "local-path-provisioner": ["github.com/rancher/local-path-provisioner", "v0.0.30", "deploy/chart/local-path-provisioner"],
};

/** Where the kinds of our own objects are defined. Argo CD's module is too big for one; its Application was tried by hand, with v3.5.6. */
export const DEFINITIONS = [
  ["github.com/cilium/cilium", "v1.20.2", "pkg/k8s/apis/cilium.io/client/crds/v2"],
  ["github.com/cilium/cilium", "v1.20.2", "pkg/k8s/apis/cilium.io/client/crds/v2alpha1"],
  ["github.com/fluxcd/source-controller", "v1.9.5", "config/crd/bases"],
  ["github.com/fluxcd/kustomize-controller", "v1.9.5", "config/crd/bases"],
];

/** What real charts make of our values, and what the definitions of their kinds say to our objects. */
export async function charts(folder) {
  const [helm, addons] = await Promise.all([realHelm(), ours(folder)]);
  let rendered = 0;
  for (const [name, { parts }] of Object.entries(addons)) {
    const release = parts.find(({ kind }) => kind === "release");
    if (!Object.hasOwn(CHARTS, release.chart)) continue;
    const chart = await fromModule(...CHARTS[release.chart]);
    const known = parse(readFileSync(join(chart, "values.yaml"), "utf8"));
    assert.deepEqual(unknownPaths(release.values, known), [], `values of ${name} that the chart does not have`);
    assert.ok(CHECKS[name], `nothing is expected of ${name}`);
    CHECKS[name](await render(helm, folder, name, release, chart));
    rendered++;
  }
  const judged = await judgeObjects(Object.values(addons).flatMap(({ parts }) => parts));
  return `${rendered} renderings, ${judged} objects`;
}

async function ours(folder) {
  return JSON.parse(await runOurs(join(import.meta.dirname, "write.ts"), folder, []));
}

async function render(helm, folder, name, release, chart) {
  mkdirSync(folder, { recursive: true });
  const values = join(folder, `${name.replaceAll(" ", "-")}.json`);
  writeFileSync(values, JSON.stringify(release.values));
  // Gateway API is in the cluster before Cilium is.
  const cluster = ["--kube-version", "1.36.3", "--api-versions", "gateway.networking.k8s.io/v1/GatewayClass"];
  const text = await execute(helm, [
    "template",
    release.name,
    chart,
    "--namespace",
    release.namespace,
    "--values",
    values,
    ...cluster,
  ]);
  return parseAllDocuments(text).flatMap((document) => document.toJSON() ?? []);
}

async function judgeObjects(parts) {
  const schemas = new Map();
  for (const one of DEFINITIONS) {
    const folder = await fromModule(...one);
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
      const { spec } = parse(readFileSync(join(folder, file), "utf8"));
      for (const { name, schema } of spec.versions) {
        schemas.set(`${spec.group}/${name} ${spec.names.kind}`, { schema: schema.openAPIV3Schema, scope: spec.scope });
      }
    }
  }
  let judged = 0;
  for (const object of parts.flatMap((part) => part.objects ?? [])) {
    const known = schemas.get(`${object.apiVersion} ${object.kind}`);
    if (!known) {
      assert.ok(!/cilium\.io|fluxcd\.io/.test(object.apiVersion), `there is no ${object.kind} of ${object.apiVersion}`);
      continue;
    }
    assert.deepEqual(problemsOf(known.schema, object), [], `${object.kind} ${object.metadata.name}`);
    assert.equal(object.metadata.namespace === undefined, known.scope === "Cluster", `the namespace of ${object.kind}`);
    judged++;
  }
  return judged;
}
