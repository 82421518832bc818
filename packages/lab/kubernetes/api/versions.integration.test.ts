import { afterAll, beforeAll, expect, test } from "vitest";
import { kubernetesState } from "../state.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
  await bench.admin.create("/api/v1/namespaces", { metadata: { name: "team" } });
});
afterAll(() => bench.close());

const MAPS = "/api/v1/namespaces/team/configmaps";
const named = (name: string) => ({ metadata: { name }, data: {} });
const mine = "labelSelector=mine";

test("a list can be read at an earlier revision, as long as it is kept", async () => {
  const first = await bench.admin.create(MAPS, { metadata: { name: "a", labels: { mine: "" } } });
  await bench.admin.create(MAPS, { metadata: { name: "b", labels: { mine: "" } } });
  const at = `resourceVersion=${first.metadata.resourceVersion}`;
  const names = async (query: string) =>
    (await bench.admin.get(`${MAPS}?${mine}&${query}`)).items.map(
      ({ metadata }: { metadata: { name: string } }) => metadata.name,
    );
  expect(await names(`${at}&resourceVersionMatch=Exact`)).toEqual(["a"]);
  expect(await names(`${at}&resourceVersionMatch=NotOlderThan`)).toEqual(["a", "b"]);
});

test("a resource version from the future is too large", async () => {
  const { status, body } = await bench.admin.call("GET", `${MAPS}?resourceVersion=99999999`);
  expect([status, body.reason, body.message]).toEqual([
    504,
    "Timeout",
    expect.stringMatching(/^Too large resource version: 99999999, current: \d+$/),
  ]);
});

test("all pages of a list have the same revision", async () => {
  const { metadata } = await bench.admin.get(`${MAPS}?limit=1`);
  await bench.admin.create(MAPS, named("z"));
  const rest = await bench.admin.get(`${MAPS}?limit=100&continue=${metadata.continue}`);
  expect(rest.metadata.resourceVersion).toBe(metadata.resourceVersion);
  expect(rest.items.some((item: { metadata: { name: string } }) => item.metadata.name === "z")).toBe(false);
});

test("a page of a compacted revision fails with a token for an inconsistent continuation", async () => {
  const { metadata } = await bench.admin.get(`${MAPS}?limit=1`);
  bench.lab.turn(() => {
    const [cluster] = Object.values(kubernetesState(bench.lab).clusters);
    if (cluster) cluster.compacted = cluster.revision + 1;
  });
  const { status, body } = await bench.admin.call("GET", `${MAPS}?limit=1&continue=${metadata.continue}`);
  expect([status, body.reason]).toEqual([410, "Expired"]);
  expect(body.message).toMatch(/^The provided continue parameter is too old to display a consistent list result\./);
  expect((await bench.admin.call("GET", `${MAPS}?continue=${body.metadata.continue}`)).status).toBe(200);
});

// k8s.io/apimachinery, internalversion/validation.
test.each([
  [
    "resourceVersionMatch=Exact",
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
  ],
  ["sendInitialEvents=true", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
  [
    "watch=true&sendInitialEvents=true",
    "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
  ],
])("%s is refused", async (query, why) => {
  const { status, body } = await bench.admin.call("GET", `${MAPS}?${query}`);
  expect([status, body.message]).toEqual([422, `ListOptions.meta.k8s.io "" is invalid: ${why}`]);
});

test("a watch that starts with the existing objects marks their end with a bookmark", async () => {
  const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const stream = await bench.admin.stream(`${MAPS}?${query}&fieldSelector=metadata.name=a`);
  const lines = await bench.until(async () => stream.lines.length >= 2 && stream.lines.map((line) => JSON.parse(line)));
  stream.stop();
  expect(lines.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]);
  expect(lines[1].object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
});

test("duplicate and unknown fields cause warnings, or a refusal with strict validation", async () => {
  const text = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"},"dat":{}}';
  const warned = await bench.admin.call("POST", `${MAPS}?dryRun=All`, text);
  expect(String(warned.headers.warning)).toMatch(/duplicate field \\"data\.a\\".*unknown field \\"dat\\"/);
  const refused = await bench.admin.call("POST", `${MAPS}?dryRun=All&fieldValidation=Strict`, text);
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a", unknown field "dat"',
  ]);
});
