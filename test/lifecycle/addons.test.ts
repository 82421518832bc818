import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event } from "../../src/engine/event.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import {
  addonWishes,
  allNodesReady,
  bootstrappedIn,
  leftRights,
  objectsIn,
  openAddons,
  PLANTED,
  personIn,
  releaseOf,
  type WebWishes,
} from "./addons-scene.ts";
import { CHANGING } from "./cluster-scenarios.ts";
import { said } from "./invariants.ts";
import { FOLDER, type Outcome, type Scene } from "./scene.ts";

/* Addons on a cluster that was just bootstrapped: their order, interruptions, failures, and removal. */

let scene: Scene;
/** The result of the first up, and the releases it started. */
let first: Outcome;
let begun: { release: string; ready: boolean }[];
let installed: { lab: string; files: VolatileFiles };
/** The moment when Helm has recorded that it will install the chart. */
let pending: { lab: string; files: VolatileFiles } | undefined;

beforeAll(async () => {
  scene = await openAddons("addons");
  const files = await bootstrappedIn(scene);
  begun = [];
  const jobs = new Set<string>();
  scene.onAnswer = () => {
    for (const job of objectsIn(scene, "jobs.batch")) {
      if (jobs.has(job.metadata.name)) continue;
      jobs.add(job.metadata.name);
      begun.push({ release: releaseOf(job), ready: allNodesReady(scene) });
    }
    if (!pending && objectsIn(scene, "secrets").some(({ metadata }) => metadata.name === "sh.helm.release.v1.web.v1"))
      pending = { lab: scene.lab.snapshot(), files: files.afterKill() };
  };
  first = await scene.up(files, { stages: CHANGING });
  scene.onAnswer = undefined;
  installed = { lab: scene.lab.snapshot(), files };
});
afterAll(() => scene.close());

/** A copy of the folder and the lab after the installation, optionally with another config. */
function afterwards(wishes?: WebWishes): VolatileFiles {
  scene.lab.restore(installed.lab);
  scene.env = { PLANTED };
  const files = installed.files.afterKill();
  if (wishes) scene.configure(files, addonWishes(scene, wishes));
  return files;
}

const plan = (files: VolatileFiles) => scene.plan(files, FOLDER, CHANGING);
const up = (files: VolatileFiles, removeAddons: string[] = []) => scene.up(files, { stages: CHANGING, removeAddons });
const notesOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "result" && event.result.kind === "plan" ? event.result.notes : []));
/** The complete output of a command. */
const everything = ({ events }: Outcome) => JSON.stringify(events);

test("no other addon's Job starts before every node is Ready, and charts come after presets", () => {
  expect(first.exitCode, said(first)).toBe(0);
  expect(begun.map(({ release }) => release)[0]).toBe("cilium");
  expect(
    begun.filter(({ release, ready }) => !ready && release !== "cilium"),
    "begun before nodes were Ready",
  ).toEqual([]);
  expect(begun.at(-1)?.release).toBe("web");
  expect(leftRights(scene)).toEqual([]);
});

test("the next plan is empty, and no command prints the planted value", async () => {
  const shown = await plan(afterwards());
  expect(shown.exitCode, said(shown)).toBe(0);
  expect(everything(first) + everything(shown)).not.toContain(PLANTED);
});

test("another planted value is a difference that shows neither the old nor the new value", async () => {
  const files = afterwards();
  scene.env = { PLANTED: "another-word-51aa" };
  const shown = await plan(files);
  expect(shown.plan?.changes.map(({ subject }) => subject)).toEqual(["secrets/secrets"]);
  for (const word of [PLANTED, "another-word-51aa"])
    for (const spelling of [word, Buffer.from(word).toString("base64")])
      expect(everything(shown), "a secret value in a plan").not.toContain(spelling);
});

test("a killed Helm leaves a pending release, which the next up reports and repairs", async () => {
  if (!pending) throw new Error("the release was never seen pending");
  scene.lab.restore(pending.lab);
  const { signal } = new AbortController();
  const person = personIn(scene, pending.files);
  try {
    const jobs = { apiVersion: "batch/v1", kind: "Job", namespace: "kube-system" };
    const [job] = await person.kubernetes.list({ ...jobs, labelSelector: "talosmith.dev/release=web" }, signal);
    const name = job?.metadata.name ?? "";
    await person.kubernetes.delete({ ...jobs, name }, { propagation: "Foreground" }, signal);
    while (await person.kubernetes.get({ ...jobs, name }, signal)) await scene.lab.sleep(1_000);
  } finally {
    person.close();
  }
  const record = () => objectsIn(scene, "secrets").filter(({ metadata }) => metadata.name.startsWith("sh.helm.release.v1.web."));
  expect(record().map(({ metadata }) => metadata.labels?.status)).toEqual(["pending-install"]);
  const files = pending.files.afterKill();
  const again = await up(files);
  expect(again.exitCode, `a release that stayed pending: ${said(again)}`).toBe(0);
  expect(notesOf(again.events).map(({ code }) => code)).toContain("HELM_CUT_OFF");
  expect(record().map(({ metadata }) => metadata.labels?.status)).toEqual(["deployed"]);
  expect(leftRights(scene)).toEqual([]);
  expect((await plan(files)).exitCode).toBe(0);
});

/** Helm's own message, and our hint. */
const FAILURES: [string, WebWishes, { detail: RegExp; hint: RegExp }][] = [
  ["a version that is not there", { version: "9.9.9" }, { detail: /9\.9\.9/, hint: /chart web 9\.9\.9/ }],
  ["values that the chart refuses", { replicas: "many" }, { detail: /replicas/, hint: /correct the values of web/ }],
  [
    "an image that cannot be pulled",
    { replicas: "2", helmImage: "registry.example.test/helm:1" },
    { detail: /registry\.example\.test\/helm:1/, hint: /helmImage|image/ },
  ],
];

test.each(FAILURES)(
  "%s: the error names the addon, the cause and a solution, and the next up recovers",
  async (_, wishes, says) => {
    const files = afterwards(wishes);
    const failed = await up(files);
    expect(failed.exitCode).toBe(1);
    const [error] = failed.events.flatMap((event) => (event.type === "step.finished" && event.error ? [event.error] : []));
    expect(error?.message, said(failed)).toContain("web");
    expect(`${error?.message}\n${error?.detail}`).toMatch(says.detail);
    expect(error?.hint, said(failed)).toMatch(says.hint);
    expect(error?.where?.file).toContain("config.yaml");
    expect(leftRights(scene), "rights of a Job that failed").toEqual([]);
    scene.configure(files, addonWishes(scene, { replicas: "2" }));
    const mended = await up(files);
    expect(mended.exitCode, said(mended)).toBe(0);
    expect((await plan(files)).exitCode).toBe(0);
  },
);

test.each([
  ["web", "web", "deployments.apps", "web"],
  ["hello", "manifests-1", "configmaps", "hello"],
] as const)(
  "%s, removed from the config, stays and is reported, until up is called with its name",
  async (without, addon, resource, name) => {
    const isThere = () => objectsIn(scene, resource).some(({ metadata }) => metadata.name === name);
    const files = afterwards({ without });
    const shown = await plan(files);
    expect(shown.exitCode, said(shown)).toBe(0);
    expect(
      notesOf(shown.events).map(({ code, message }) => `${code} ${message}`),
      "what is left",
    ).toEqual([expect.stringContaining(`ADDON_LEFT ${addon}`)]);
    expect((await up(files)).exitCode).toBe(0);
    expect(isThere()).toBe(true);
    const removed = await up(files, [addon]);
    expect(removed.exitCode, said(removed)).toBe(0);
    expect(isThere()).toBe(false);
    expect(leftRights(scene)).toEqual([]);
    expect(notesOf((await plan(files)).events)).toEqual([]);
  },
);
