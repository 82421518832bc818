import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { meetsFaults } from "../../kernel/testing/fault-contract.ts";
import { heardFrom } from "../../kernel/testing/stranger.ts";
import type { Loose } from "../objects.ts";
import { refusals } from "../refusals.ts";
import { kubernetesState } from "../state.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

let number = 0;
let namespace = "";
let maps = "";
beforeEach(async () => {
  namespace = `team-${++number}`;
  maps = `/api/v1/namespaces/${namespace}/configmaps`;
  await bench.admin.create("/api/v1/namespaces", { metadata: { name: namespace } });
  await bench.until(
    async () => (await bench.admin.call("GET", `/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status === 200,
  );
});

const named = (name: string, data: Loose = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

describe("refusals, with the API server's messages", () => {
  test.each([
    ["GET", (path: string) => `${path}/x`, undefined, 404, 'configmaps "x" not found', "NotFound"],
    ["GET", () => "/api/v1/namespaces/none/pods/x", undefined, 404, 'pods "x" not found', "NotFound"],
    ["POST", () => "/api/v1/namespaces/none/configmaps", named("x"), 404, 'namespaces "none" not found', "NotFound"],
    ["GET", () => "/apis/apps/v1/nothings", undefined, 404, "the server could not find the requested resource", "NotFound"],
    [
      "PUT",
      (path: string) => path,
      named("x"),
      405,
      "the server does not allow this method on the requested resource",
      "MethodNotAllowed",
    ],
  ] as const)("%s %s", async (method, path, body, status, message, reason) => {
    const answer = await bench.admin.call(method, path(maps), body);
    expect([answer.status, answer.body.message, answer.body.reason]).toEqual([status, message, reason]);
  });

  test("an existing name", async () => {
    await bench.admin.create(maps, named("x"));
    const answer = await bench.admin.call("POST", maps, named("x"));
    expect([answer.status, answer.body.message, answer.body.reason]).toEqual([
      409,
      'configmaps "x" already exists',
      "AlreadyExists",
    ]);
  });

  test("an invalid name", async () => {
    const answer = await bench.admin.call("POST", maps, named("Not_A_Name"));
    expect(answer.status).toBe(422);
    expect(answer.body.message).toMatch(
      /^ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must/,
    );
  });

  test("a kind that does not belong to the path", async () => {
    const answer = await bench.admin.call("POST", maps, { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
  });

  test("an update of an object that was changed meanwhile", async () => {
    const old = await bench.admin.create(maps, named("x"));
    await bench.admin.call("PUT", `${maps}/x`, { ...old, data: { a: "1" } });
    const answer = await bench.admin.call("PUT", `${maps}/x`, { ...old, data: { a: "2" } });
    expect([answer.status, answer.body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
    ]);
  });

  test("a pod that PodSecurity forbids, and a workload that it warns of", async () => {
    const spec = { hostNetwork: true, containers: [{ name: "c", image: "nginx" }] };
    const pod = await bench.admin.call("POST", `/api/v1/namespaces/${namespace}/pods`, { metadata: { name: "x" }, spec });
    expect([pod.status, pod.body.message]).toEqual([
      403,
      'pods "x" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    ]);
    const job = { metadata: { name: "x" }, spec: { template: { spec: { restartPolicy: "Never", ...spec } } } };
    const answer = await bench.admin.call("POST", `/apis/batch/v1/namespaces/${namespace}/jobs`, job);
    expect(answer.status).toBe(201);
    expect(String(answer.headers.warning)).toContain(
      '299 - "would violate PodSecurity \\"restricted:latest\\": host namespaces (hostNetwork=true)',
    );
  });

  test("a privileged namespace admits the pod, and so does kube-system", async () => {
    const pod = { metadata: { name: "x" }, spec: { hostNetwork: true, containers: [{ name: "c", image: "nginx" }] } };
    const labels = { "pod-security.kubernetes.io/enforce": "privileged" };
    await bench.admin.patch(`/api/v1/namespaces/${namespace}`, "application/merge-patch+json", { metadata: { labels } });
    expect((await bench.admin.call("POST", `/api/v1/namespaces/${namespace}/pods`, pod)).status).toBe(201);
    expect((await bench.admin.call("POST", "/api/v1/namespaces/kube-system/pods?dryRun=All", pod)).status).toBe(201);
  });
});

describe("access", () => {
  test("anonymous requests are refused: Talos disables anonymous access", async () => {
    const answer = await bench.person({}).call("GET", "/api/v1/nodes");
    expect([answer.status, answer.body]).toEqual([
      401,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Unauthorized",
        reason: "Unauthorized",
        code: 401,
      },
    ]);
  });

  test("a user may use discovery and nothing else, until a role grants more", async () => {
    const jane = await bench.user("jane");
    expect((await jane.call("GET", "/version")).status).toBe(200);
    const refused = await jane.call("GET", maps);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
    ]);
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await bench.admin.create(`${rbac}/roles`, {
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
    });
    await bench.admin.create(`${rbac}/rolebindings`, {
      metadata: { name: "b" },
      roleRef: { kind: "Role", name: "r" },
      subjects: [{ kind: "User", name: "jane" }],
    });
    expect((await jane.call("GET", maps)).status).toBe(200);
    expect((await jane.call("GET", `${maps}/x`)).body.message).toBe(
      `configmaps "x" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "${namespace}"`,
    );
    expect((await jane.call("GET", "/api/v1/nodes")).body.message).toBe(
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    );
  });

  test("a token belongs to its service account as long as that exists", async () => {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await bench.admin.create(accounts, { metadata: { name: "bot" } });
    const { status } = await bench.admin.create(`${accounts}/bot/token`, { spec: {} });
    const bot = bench.person({ token: status.token });
    const who = await bot.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
    expect(who.status.userInfo.username).toBe(`system:serviceaccount:${namespace}:bot`);
    const may = await bot.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    });
    expect(may.status.allowed).toBe(false);
    await bench.admin.call("DELETE", `${accounts}/bot`);
    expect((await bot.call("GET", "/version")).status).toBe(401);
  });
});

describe("writing", () => {
  test("generateName adds five characters, dryRun stores nothing", async () => {
    const made = await bench.admin.create(maps, { metadata: { generateName: "x-" } });
    expect(made.metadata.name).toMatch(/^x-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    await bench.admin.create(`${maps}?dryRun=All`, named("ghost"));
    expect((await bench.admin.call("GET", `${maps}/ghost`)).status).toBe(404);
  });

  test("an update without changes keeps the version; a change of the spec increments the generation", async () => {
    const object = await bench.admin.create(maps, named("x", { a: "1" }));
    const same = await bench.admin.call("PUT", `${maps}/x`, object);
    expect(same.body.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const labels = { app: "x" };
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
    };
    await bench.admin.create(path, { metadata: { name: "d" }, spec });
    const { body } = await bench.admin.patch(`${path}/d`, "application/merge-patch+json", { spec: { replicas: 1 } });
    expect(body.metadata.generation).toBe(2);
  });

  test("server-side apply creates with 201, then changes with 200", async () => {
    expect((await bench.admin.apply(`${maps}/x`, named("x", { a: "1" }))).status).toBe(201);
    const second = await bench.admin.apply(`${maps}/x`, named("x", { b: "2" }));
    expect([second.status, second.body.data]).toEqual([200, { b: "2" }]);
    const other = await bench.admin.apply(`${maps}/x`, named("x", { b: "3" }), "other");
    expect([other.status, other.body.message]).toEqual([409, 'Apply failed with 1 conflict: conflict with "test": .data.b']);
    expect((await bench.admin.apply(`${maps}/x`, named("x", { b: "3" }), "other", true)).status).toBe(200);
  });

  test("a deleted object with a finalizer stays until the finalizer is removed", async () => {
    await bench.admin.create(maps, { metadata: { name: "x", finalizers: ["example.org/hold"] } });
    const held = await bench.admin.call("DELETE", `${maps}/x`);
    expect(held.body.metadata.deletionTimestamp).toBeDefined();
    await bench.admin.patch(`${maps}/x`, "application/merge-patch+json", { metadata: { finalizers: null } });
    expect((await bench.admin.call("GET", `${maps}/x`)).status).toBe(404);
  });

  test("deleting an object with another uid of the same name is refused", async () => {
    await bench.admin.create(maps, named("x"));
    const answer = await bench.admin.call("DELETE", `${maps}/x`, { preconditions: { uid: "another" } });
    expect([answer.status, answer.body.reason]).toEqual([409, "Conflict"]);
  });

  test("foreground deletion deletes dependents first", async () => {
    const owner = await bench.admin.create(maps, named("owner"));
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
    await bench.admin.create(maps, { metadata: { name: "owned", ownerReferences } });
    const answer = await bench.admin.call("DELETE", `${maps}/owner`, { propagationPolicy: "Foreground" });
    expect(answer.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await bench.until(async () => (await bench.admin.call("GET", `${maps}/owner`)).status === 404);
    expect((await bench.admin.call("GET", `${maps}/owned`)).status).toBe(404);
  });

  test("orphaned dependents stay", async () => {
    const owner = await bench.admin.create(maps, named("owner"));
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
    await bench.admin.create(maps, { metadata: { name: "owned", ownerReferences } });
    await bench.admin.call("DELETE", `${maps}/owner`, { propagationPolicy: "Orphan" });
    expect((await bench.admin.get(`${maps}/owned`)).metadata.ownerReferences).toBeUndefined();
  });
});

describe("reading", () => {
  test("a long list is paginated", async () => {
    for (const name of ["a", "b", "c"]) await bench.admin.create(maps, { metadata: { name, labels: { mine: "yes" } } });
    const first = await bench.admin.get(`${maps}?limit=2&labelSelector=mine`);
    expect(first.items.map((it: Loose) => it.metadata.name)).toEqual(["a", "b"]);
    const second = await bench.admin.get(`${maps}?limit=2&labelSelector=mine&continue=${first.metadata.continue}`);
    expect([second.items.map((it: Loose) => it.metadata.name), second.metadata.continue]).toEqual([["c"], undefined]);
  });

  test("a watch reports objects that are added, changed, no longer match, and are deleted", async () => {
    const { metadata } = await bench.admin.get(maps);
    const stream = await bench.admin.stream(`${maps}?watch=1&labelSelector=mine&resourceVersion=${metadata.resourceVersion}`);
    await bench.admin.create(maps, { metadata: { name: "a", labels: { mine: "yes" } } });
    await bench.admin.patch(`${maps}/a`, "application/merge-patch+json", { data: { k: "v" } });
    await bench.admin.patch(`${maps}/a`, "application/merge-patch+json", { metadata: { labels: null } });
    await bench.until(async () => stream.lines.length >= 3);
    stream.stop();
    expect(stream.lines.map((line) => JSON.parse(line).type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });

  test("a watch from a compacted version gets 410", async () => {
    const stream = await bench.admin.stream(`${maps}?watch=1&resourceVersion=0`);
    stream.stop();
    bench.lab.turn(() => {
      const { clusters } = bench.lab.state<{ clusters: Record<string, { compacted: number }> }>("kubernetes");
      for (const cluster of Object.values(clusters)) cluster.compacted = 5;
    });
    const late = await bench.admin.stream(`${maps}?watch=1&resourceVersion=2`);
    await late.ended;
    expect(JSON.parse(late.lines[0] ?? "{}")).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
  });

  test("a table has kubectl's columns", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const { body } = await bench.admin.call("GET", "/api/v1/nodes", undefined, { accept });
    expect(body.kind).toBe("Table");
    expect(body.columnDefinitions.filter((it: Loose) => it.priority === 0).map((it: Loose) => it.name)).toEqual([
      "Name",
      "Status",
      "Roles",
      "Age",
      "Version",
    ]);
  });

  test("old and aggregated discovery list the same resources", async () => {
    const old = await bench.admin.get("/apis/apps/v1");
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { body, headers } = await bench.admin.call("GET", "/apis", undefined, { accept });
    expect(headers["content-type"]).toBe(accept);
    const apps = body.items.find((it: Loose) => it.metadata.name === "apps").versions[0];
    const names = old.resources.map((it: Loose) => it.name).filter((it: string) => !it.includes("/"));
    expect(apps.resources.map((it: Loose) => it.resource)).toEqual(names);
  });
});

test("faults apply to calls, and calls are recorded", async () => {
  bench.lab.setFaults([
    {
      service: "kubernetes",
      site: "GET /api/v1/namespaces/:namespace/configmaps/:name",
      occurrence: 1,
      fault: { kind: "refuse", status: 503, message: "not now" },
    },
  ]);
  const answer = await bench.admin.call("GET", `${maps}/x`);
  bench.lab.setFaults([]);
  expect([answer.status, answer.body.message, answer.body.reason]).toEqual([503, "not now", "ServiceUnavailable"]);
  expect(bench.lab.recorder.calls().at(-1)).toMatchObject({
    service: "kubernetes",
    resource: `configmaps ${namespace}/x`,
    mutating: false,
    status: 503,
  });
});

test("every kind of fault has its effect on a call, also on a streaming one", async () => {
  const { lab, server, admin } = bench;
  const tls = { cert: admin.who.certificate, key: admin.who.key };
  const service = "kubernetes";
  const site = "/api/v1/namespaces/:namespace/configmaps";
  await meetsFaults(
    lab,
    { service, site: `GET ${site}/:name`, make: () => heardFrom(`${server}${maps}/kube-root-ca.crt`, { tls }) },
    refusals["etcd-timeout"],
  );
  await meetsFaults(
    lab,
    { service, site: `GET ${site} (watch)`, make: () => heardFrom(`${server}${maps}?watch=true&timeoutSeconds=20`, { tls }) },
    refusals["too-many-requests"],
  );
  await meetsFaults(
    lab,
    {
      service,
      site: `POST ${site}`,
      make: (n) => {
        const headers = { "content-type": "application/json" };
        return heardFrom(`${server}${maps}`, { method: "POST", tls, headers, body: JSON.stringify(named(`map-${n}`)) });
      },
      // Not the revision: the cluster's own controllers can change that at any time.
      effect: () => Object.values(kubernetesState(lab).clusters).map(({ objects }) => Object.keys(objects.configmaps ?? {})),
    },
    refusals["not-ready"],
  );
});

test("a 429 response contains a Retry-After header", async () => {
  const { status, message } = refusals["too-many-requests"];
  bench.lab.setFaults([{ service: "kubernetes", site: "GET /api/v1/nodes", fault: { kind: "refuse", status, message } }]);
  const answer = await bench.admin.call("GET", "/api/v1/nodes");
  bench.lab.setFaults([]);
  expect([answer.status, answer.headers["retry-after"], answer.body.reason]).toEqual([429, "1", "TooManyRequests"]);
});
