import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { parse } from "yaml";
import type { Addon, Manifest, ReleasePart } from "../../../src/catalog/addons/addon.ts";
import { type KubernetesClient, openKubernetes } from "../../../src/kubernetes/client/kubernetes-client.ts";
import { helmCommand } from "../../../src/kubernetes/helm/installer.ts";
import { OF_ENVIRONMENT } from "../../../src/kubernetes/helm/release.ts";
import { latestRelease, recordsOf } from "../../../src/kubernetes/helm/stored-release.ts";
import type { KubernetesObject, Secret } from "../../../src/kubernetes/objects.ts";

const { signal } = new AbortController();
const world = realWorld();
const ENVIRONMENT = "conformance";

type Object = Manifest & KubernetesObject;

/** Our objects, with the definitions of their kinds in place: the server itself judges them. */
async function judge(kube: KubernetesClient, addons: readonly Addon[], definitions: readonly string[]): Promise<number> {
  for (const file of definitions.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))))
    if (file.endsWith(".yaml")) await kube.apply(parse(readFileSync(file, "utf8")) as Object, signal);
  const objects = addons.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === "objects" ? part.objects : [])),
  ) as Object[];
  const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  for (const name of namespaces) await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
  let judged = 0;
  for (const object of objects) {
    // Argo CD's definitions are in no module that could be had here.
    if (object.apiVersion.startsWith("argoproj.io/")) continue;
    for (let left = 100; !(await kube.knows(object, signal)); left--) {
      if (left === 0) throw new Error(`the server does not know ${object.kind} of ${object.apiVersion}`);
      await world.clock.sleep(100);
    }
    await kube.tryApply(object, signal);
    judged++;
  }
  return judged;
}

const asked = (release: ReleasePart) => ({ ...release, labels: { [OF_ENVIRONMENT]: ENVIRONMENT }, helmImage: "unused" });

/** What our Job would run for each of these releases, their namespaces being as we make them. */
async function commands(kube: KubernetesClient, releases: readonly ReleasePart[]): Promise<string[][]> {
  for (const { namespace: name, namespaceLabels: labels } of releases)
    await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }, signal);
  return releases.map((release) => helmCommand(asked(release)));
}

/** What a real Helm has recorded is read by us as what was asked for. */
async function readBack(kube: KubernetesClient, releases: readonly ReleasePart[]): Promise<number> {
  for (const release of releases) {
    const { labelSelector, ...of } = recordsOf(release, "current");
    const ours = { ...of, labelSelector: `${labelSelector},${OF_ENVIRONMENT}=${ENVIRONMENT}` };
    const found = latestRelease(await kube.list<Secret>(ours, signal));
    if (found?.status !== "deployed" || found.chart !== release.chart)
      throw new Error(`${release.name}: ${JSON.stringify(found)}`);
    if (!isDeepStrictEqual(found.values, release.values)) throw new Error(`${release.name}: the values are not those we gave`);
  }
  return releases.length;
}

const [, , what, where = "", addonsFile = "", ...rest] = process.argv;
const { url, ca, certificate, key } = JSON.parse(readFileSync(where, "utf8")) as Record<string, string>;
const addons = JSON.parse(readFileSync(addonsFile, "utf8")) as Record<string, Addon>;
const kube = openKubernetes(world, async () => ({
  servers: [url ?? ""],
  ca: ca ?? "",
  certificate: certificate ?? "",
  key: key ?? "",
}));
const releases = rest.flatMap((name) => addons[name]?.parts.filter((part) => part.kind === "release") ?? []);
try {
  const said =
    what === "judge"
      ? await judge(kube, Object.values(addons), rest)
      : what === "commands"
        ? await commands(kube, releases)
        : await readBack(kube, releases);
  process.stdout.write(JSON.stringify(said));
} finally {
  kube.close();
}
