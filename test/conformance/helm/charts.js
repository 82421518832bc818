import assert from "node:assert/strict";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { execute } from "../execute.js";
import { runOurs } from "../oracle.js";
import { realHelm } from "./binary.js";

/** Every chart of the lab's, rendered by the lab's own helm and by the real one: the same objects, or the same refusal. */
export async function charts(folder) {
  const helm = await realHelm();
  const cases = JSON.parse(
    await runOurs(join(import.meta.dirname, "render.ts"), join(folder, "charts"), [join(folder, "charts")]),
  );
  const compared = await inTurns(cases, 2, (one) => compare(helm, one));
  return { charts: new Set(cases.map(({ chart }) => chart)).size, cases: compared.length };
}

async function inTurns(items, width, work) {
  const results = [];
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

const sorted = (text) => text.trim().split("\n").sort();

async function compare(helm, { chart, values, objects, hooks, error }) {
  const what = values.split("/").at(-1);
  const args = ["template", "release", chart, "--namespace", "somewhere", "--values", values, "--kube-version", "v1.36.0"];
  const apis = ["--api-versions", "gateway.networking.k8s.io/v1", "--api-versions", "gateway.networking.k8s.io/v1/GatewayClass"];
  const told = await execute(helm, [...args, ...apis], { env: { HOME: chart } }).then(
    (text) => ({ text }),
    (refusal) => ({ refusal: refusal.message }),
  );
  if (error !== undefined) {
    assert.ok(told.refusal, `${what}: the lab refuses it, the real helm does not: ${error}`);
    const [, said = ""] = /Error: ([\s\S]*?)(?:\n\nUse --debug flag|$)/.exec(told.refusal) ?? [];
    // Go tells the problems of a schema in no order.
    return assert.deepEqual(sorted(error), sorted(said), `${what}: the refusal`);
  }
  assert.equal(told.refusal, undefined, `${what}: only the real helm refuses it`);
  const all = parseAllDocuments(told.text, { version: "1.1" })
    .map((document) => document.toJS())
    .filter((object) => object !== null);
  const isHook = ({ metadata }) => metadata.annotations?.["helm.sh/hook"] !== undefined;
  assert.deepEqual(
    objects,
    all.filter((object) => !isHook(object)),
    `${what}: the objects, in their order`,
  );
  assert.deepEqual(
    hooks.map(({ name }) => name),
    all.filter(isHook).map(({ metadata }) => metadata.name),
    `${what}: the hooks`,
  );
}
