import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event } from "../../src/engine/event.ts";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { said, text } from "./invariants.ts";
import { FOLDER, type Outcome, Scene } from "./scene.ts";
import { cordonViolations } from "./service-watch.ts";
import { expectNoViolations } from "./violation.ts";

/* An interrupted operation: which commands resume it, which are refused meanwhile, and how it is abandoned. */

const WISHES = { workers: 2 };
let scene: Scene;
let folder: VolatileFiles;
let at: string;

beforeAll(async () => {
  scene = await Scene.open("operation", { cluster: true });
  folder = scene.folder(WISHES);
  const made = await scene.up(folder, { stages: ALL_STAGES });
  expect(made.exitCode, said(made)).toBe(0);
  at = scene.lab.snapshot();
});
afterAll(() => scene.close());

/** The created cluster, and a replacement of worker-2 that was interrupted when this change was announced. */
async function interruptedAt(change: RegExp): Promise<VolatileFiles> {
  scene.lab.restore(at);
  const files = folder.afterKill();
  const interruptAt = (event: Event) => event.type === "mutation.intent" && change.test(event.what);
  const outcome = await scene.replaceNode(files, "worker-2", { interruptAt });
  expect(outcome.exitCode, said(outcome)).toBe(130);
  expect(record(files)).toMatchObject({ kind: "node replace", subject: "worker-2" });
  return files;
}

function record(files: VolatileFiles): unknown {
  const content = text(files, `${FOLDER}/.talosmith/operation.json`);
  return content === undefined ? undefined : JSON.parse(content);
}

interface Machine {
  name: string;
  boot?: { system: { version: string } };
}

const notices = ({ events }: Outcome) => events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
const changesIn = ({ events }: Outcome) => events.filter((event) => event.type === "mutation.intent");
const up = (files: VolatileFiles) => scene.up(files, { stages: ALL_STAGES });

test("while an operation is open, other commands are refused before they change anything, and name the solutions", async () => {
  const files = await interruptedAt(/^cordon/);
  for (const outcome of [await up(files), await scene.replaceNode(files, "worker-1")]) {
    expect(outcome.exitCode).toBe(1);
    expect(said(outcome)).toMatch(/OPERATION_OPEN: .*"node replace worker-2"/);
    const hint = outcome.events.flatMap((event) => (event.type === "error" ? [event.error.hint] : [])).join("\n");
    expect(hint).toContain(`talosmith node replace ${FOLDER} worker-2`);
    expect(hint).toContain(`talosmith abandon ${FOLDER}`);
    expect(hint).toContain(`talosmith down ${FOLDER}`);
    expect(changesIn(outcome)).toEqual([]);
  }
});

test("plan works while an operation is open, and names the command that resumes it", async () => {
  const files = await interruptedAt(/^create machine worker-2/);
  const outcome = await scene.plan(files, FOLDER, ALL_STAGES);
  expect(notices(outcome)).toContainEqual(expect.stringContaining('"node replace worker-2" was interrupted'));
  expect(outcome.plan?.next).toEqual([`talosmith node replace ${FOLDER} worker-2`]);
});

test("a replacement whose node was drained and has not left can be abandoned: the node is uncordoned", async () => {
  const files = await interruptedAt(/^delete the Node object of worker-2/);
  const outcome = await scene.abandon(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expect(record(files)).toBeUndefined();
  expectNoViolations([...cordonViolations(scene), ...(await clusterViolations(scene, files, undefined))]);
});

test("a replacement whose node has left while its machine exists cannot be abandoned", async () => {
  const files = await interruptedAt(/^stop worker-2/);
  const outcome = await scene.abandon(files);
  expect(outcome.exitCode).toBe(1);
  expect(said(outcome)).toContain("worker-2 has left the cluster, and its old machine still exists");
  expect(changesIn(outcome)).toEqual([]);
  expect(record(files)).toBeDefined();
  const resumed = await scene.replaceNode(files, "worker-2");
  expect(resumed.exitCode, said(resumed)).toBe(0);
  expectNoViolations(await clusterViolations(scene, files, undefined));
});

test("a replacement whose old machine is removed can be abandoned, and up creates the new one", async () => {
  const files = await interruptedAt(/^create machine worker-2/);
  expect((await scene.abandon(files)).exitCode).toBe(0);
  const outcome = await up(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expectNoViolations(await clusterViolations(scene, files, undefined));
});

test("down ends an open operation", async () => {
  const files = await interruptedAt(/^create machine worker-2/);
  const outcome = await scene.down(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expect(record(files)).toBeUndefined();
});

test("a resumed operation keeps the releases it started with, and reports that the config names others", async () => {
  const files = await interruptedAt(/^create machine worker-2/);
  scene.configure(files, { ...WISHES, talos: "v1.13.8" });
  const outcome = await scene.replaceNode(files, "worker-2");
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expect(notices(outcome)).toContainEqual(
    expect.stringMatching(/the config says Talos v1\.13\.8 .*worker-2 gets Talos v1\.13\.9/),
  );
  const { machines } = scene.lab.state<{ machines: Record<string, Machine> }>("talos");
  const versions = Object.values(machines).flatMap(({ name, boot }) => (name === "worker-2" ? [boot?.system.version] : []));
  expect(versions).toEqual(["v1.13.9"]);
});

test("the plan of a replacement does not ask for a consent that the command implies", async () => {
  scene.lab.restore(at);
  const { events } = await scene.replaceNode(folder.afterKill(), "worker-2", { interruptAt: ({ type }) => type === "steps" });
  const changes = events.flatMap((event) =>
    event.type === "result" && event.result.kind === "plan" ? event.result.changes : [],
  );
  expect(changes.map(({ verb, subject }) => `${verb} ${subject}`)).toContain("replace machine worker-2");
  expect(changes.filter(({ needsConsent }) => needsConsent !== undefined)).toEqual([]);
});

test.each([1, 3])("the only control plane that exists is not replaced, even if the config names %i", async (controlPlanes) => {
  scene.lab.restore(at);
  const files = folder.afterKill();
  scene.configure(files, { ...WISHES, controlPlanes });
  const outcome = await scene.replaceNode(files, "cp-1");
  expect(said(outcome)).toMatch(/NOT_REPLACEABLE: .*the only control plane,/);
  expect(changesIn(outcome)).toEqual([]);
});

test("an operation is abandoned only after a confirmation, even when nothing has to be undone", async () => {
  const files = await interruptedAt(/^create machine worker-2/);
  expect((await scene.abandon(files, false)).exitCode).toBe(1);
  expect(record(files)).toBeDefined();
});
