import { afterAll, beforeAll, expect, test } from "vitest";
import type { Loose } from "../objects.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const MAPS = "/api/v1/namespaces/default/configmaps";
const map = (name: string, labels: Loose = {}) => ({ metadata: { name, labels }, data: {} });

const webhook = (more: Loose = {}) => ({
  name: "check.example.org",
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  timeoutSeconds: 5,
  clientConfig: { service: { name: "guard", namespace: "default", path: "/validate" } },
  rules: [{ operations: ["CREATE", "UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
  objectSelector: { matchLabels: { guarded: "yes" } },
  ...more,
});

// k8s.io/apiserver's webhook errors; a real server gave the whole text for cert-manager.
const failed = (why: string) =>
  `Internal error occurred: failed calling webhook "check.example.org": failed to call webhook: Post "https://guard.default.svc:443/validate?timeout=5s": ${why}`;

test("an unavailable webhook refuses the writes it is registered for, and no others", async () => {
  await bench.admin.create(CONFIGURATIONS, { metadata: { name: "guard" }, webhooks: [webhook()] });
  const missing = await bench.admin.call("POST", MAPS, map("a", { guarded: "yes" }));
  expect([missing.status, missing.body.reason, missing.body.message]).toEqual([
    500,
    "InternalError",
    failed('service "guard" not found'),
  ]);
  await bench.admin.create("/api/v1/namespaces/default/services", {
    metadata: { name: "guard" },
    spec: { selector: { app: "guard" }, ports: [{ port: 443 }] },
  });
  const empty = await bench.admin.call("POST", MAPS, map("a", { guarded: "yes" }));
  expect(empty.body.message).toBe(failed('no endpoints available for service "guard"'));
  expect((await bench.admin.call("POST", MAPS, map("b"))).status).toBe(201);
});

test("a webhook with a ready pod behind its Service admits writes", async () => {
  await bench.admin.create("/api/v1/namespaces/default/pods", {
    metadata: { name: "guard", labels: { app: "guard" } },
    spec: { containers: [{ name: "c", image: "nginx:1" }] },
  });
  await bench.until(
    async () => (await bench.admin.call("POST", `${MAPS}?dryRun=All`, map("a", { guarded: "yes" }))).status === 201,
  );
});

test("an unavailable webhook with failurePolicy Ignore admits writes", async () => {
  await bench.admin.call("DELETE", "/api/v1/namespaces/default/services/guard");
  await bench.admin.patch(`${CONFIGURATIONS}/guard`, "application/json-patch+json", [
    { op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" },
  ]);
  expect((await bench.admin.call("POST", MAPS, map("c", { guarded: "yes" }))).status).toBe(201);
});

test("an unknown class is refused with its name", async () => {
  const pod = (spec: Loose) => ({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "nginx:1" }], ...spec } });
  const refused = async (spec: Loose) =>
    (await bench.admin.call("POST", "/api/v1/namespaces/default/pods", pod(spec))).body.message;
  expect(await refused({ runtimeClassName: "nvidia" })).toBe(
    'pods "p" is forbidden: pod rejected: RuntimeClass "nvidia" not found',
  );
  expect(await refused({ priorityClassName: "high" })).toBe('pods "p" is forbidden: no PriorityClass with name high was found');
});
