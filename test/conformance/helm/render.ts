import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { everyVersion } from "@talosmith/lab/charts/all.ts";
import { packChart } from "@talosmith/lab/charts/repository.ts";
import { readChart } from "@talosmith/lab/kubernetes/helm/chart.ts";
import { render } from "@talosmith/lab/kubernetes/helm/render.ts";
import { VALUES } from "./values.ts";

/** Writes every chart of the lab, and what the lab's own helm makes of it with several values. */
const [folder = ""] = process.argv.slice(2);

const how = {
  name: "release",
  namespace: "somewhere",
  revision: 1,
  isInstall: true,
  kubeVersion: "v1.36.0",
  apiVersions: ["v1", "apps/v1", "gateway.networking.k8s.io/v1"],
};

const cases = everyVersion().flatMap(({ chart, files }) => {
  const packed = packChart(files);
  const version = packed.metadata.version;
  const home = join(folder, `${chart.name}-${version}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  // Older versions have the same templates.
  const sets = chart.versions[0]?.version === version ? (VALUES[chart.name] ?? [{}]) : [];
  return sets.map((values, at) => {
    const valuesFile = join(folder, `${chart.name}-${version}-${at}.json`);
    writeFileSync(valuesFile, JSON.stringify(values));
    try {
      const { objects, hooks, notes } = render(readChart(packed.bytes), values, how);
      return { chart: home, values: valuesFile, objects, hooks: hooks.map(({ name, events }) => ({ name, events })), notes };
    } catch (error) {
      return { chart: home, values: valuesFile, error: error instanceof Error ? error.message : String(error) };
    }
  });
});
console.log(JSON.stringify(cases));
