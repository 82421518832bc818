import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Loose } from "../objects.ts";
import { Bench, type Person } from "../testing/bench.ts";

/* Features that kubectl and other clients use, and talosmith does not. */

let bench: Bench;
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

beforeAll(async () => {
  bench = await Bench.open({ settings: { coreDns: false } });
});
afterAll(() => bench.close());

const grant = async (name: string, subject: Loose, rules: Loose[]) => {
  await bench.admin.create(`${RBAC}/clusterroles`, { metadata: { name }, rules });
  await bench.admin.create(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [subject],
  });
};

describe("impersonation", () => {
  const mayListNodes = async (who: Person, headers: Record<string, string>): Promise<Loose> => {
    const review = { spec: { resourceAttributes: { verb: "list", resource: "nodes" } } };
    return (await who.call("POST", REVIEWS, review, headers)).body;
  };

  test("an administrator who impersonates a user has that user's rights", async () => {
    await grant("node-readers", { kind: "Group", name: "readers" }, [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }]);
    expect((await mayListNodes(bench.admin, {})).status.allowed).toBe(true);
    expect((await mayListNodes(bench.admin, { "Impersonate-User": "bob" })).status.allowed).toBe(false);
    const inGroup = { "Impersonate-User": "bob", "Impersonate-Group": "readers" };
    expect((await mayListNodes(bench.admin, inGroup)).status.allowed).toBe(true);
  });

  test("an impersonated service account has its groups", async () => {
    const headers = { "Impersonate-User": "system:serviceaccount:default:app" };
    const { body } = await bench.admin.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, headers);
    expect(body.status.userInfo).toEqual({
      username: "system:serviceaccount:default:app",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
  });

  test("impersonation requires the right, which can be granted for one name", async () => {
    const ann = await bench.user("ann");
    expect(await mayListNodes(ann, { "Impersonate-User": "bob" })).toMatchObject({
      code: 403,
      message: 'users "bob" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    });
    const rule = { apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["bob"] };
    await grant("as-bob", { kind: "User", name: "ann" }, [rule]);
    expect((await mayListNodes(ann, { "Impersonate-User": "bob" })).status.allowed).toBe(false);
    expect((await mayListNodes(ann, { "Impersonate-User": "eve" })).code).toBe(403);
    expect((await mayListNodes(ann, { "Impersonate-User": "bob", "Impersonate-Group": "system:masters" })).code).toBe(403);
  });

  test("a group without a user is an error", async () => {
    expect((await mayListNodes(bench.admin, { "Impersonate-Group": "readers" })).code).toBe(500);
  });

  test("impersonation applies to non-resource paths, too", async () => {
    const about = (path: string) => ({ spec: { nonResourceAttributes: { verb: "get", path } } });
    const as = { "Impersonate-User": "bob" };
    expect((await bench.admin.call("POST", REVIEWS, about("/version"), as)).body.status.allowed).toBe(true);
    expect((await bench.admin.call("POST", REVIEWS, about("/metrics"), as)).body.status.allowed).toBe(false);
  });
});

describe("autoscaling/v1 beside v2", () => {
  const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

  test("an object written in v1 is read in v2, and the other way round", async () => {
    const spec = { scaleTargetRef: target, minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 60 };
    const made = await bench.admin.create(path("v1"), { metadata: { name: "a" }, spec });
    expect([made.apiVersion, made.spec]).toEqual(["autoscaling/v1", spec]);
    const metrics = [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } }];
    expect((await bench.admin.get(`${path("v2")}/a`)).spec).toEqual({
      scaleTargetRef: target,
      minReplicas: 2,
      maxReplicas: 5,
      metrics,
    });
    const patched = await bench.admin.patch(`${path("v1")}/a`, "application/merge-patch+json", {
      spec: { targetCPUUtilizationPercentage: 70 },
    });
    expect(patched.body.spec.targetCPUUtilizationPercentage).toBe(70);
    expect((await bench.admin.get(path("v1"))).items[0].spec.targetCPUUtilizationPercentage).toBe(70);
    expect((await bench.admin.get(`${path("v2")}/a`)).spec.metrics[0].resource.target.averageUtilization).toBe(70);
  });

  test("v2 fields without a v1 counterpart are kept in an annotation", async () => {
    const memory = { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } };
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    await bench.admin.create(path("v2"), {
      metadata: { name: "b" },
      spec: { scaleTargetRef: target, maxReplicas: 3, metrics: [memory], behavior },
    });
    const old = await bench.admin.get(`${path("v1")}/b`);
    expect(old.spec).toEqual({ scaleTargetRef: target, minReplicas: 1, maxReplicas: 3 });
    expect(Object.keys(old.metadata.annotations)).toEqual([
      "autoscaling.alpha.kubernetes.io/metrics",
      "autoscaling.alpha.kubernetes.io/behavior",
    ]);
    old.spec.maxReplicas = 4;
    expect((await bench.admin.call("PUT", `${path("v1")}/b`, old)).status).toBe(200);
    const { spec, metadata } = await bench.admin.get(`${path("v2")}/b`);
    expect(spec).toMatchObject({ maxReplicas: 4, metrics: [memory], behavior });
    expect(metadata.annotations).toBeUndefined();
  });

  test("discovery lists both versions, v2 first", async () => {
    const { versions, preferredVersion } = await bench.admin.get("/apis/autoscaling");
    expect([versions.map((it: Loose) => it.version), preferredVersion.version]).toEqual([["v2", "v1"], "v2"]);
  });
});

describe("the format of a response", () => {
  const nodes = (accept: string) => bench.admin.call("GET", "/api/v1/nodes", undefined, { accept });

  test("a client that prefers protobuf and accepts JSON gets JSON; one that accepts only protobuf gets an error with the supported types", async () => {
    const mixed = await nodes("application/vnd.kubernetes.protobuf,application/json");
    expect([mixed.status, mixed.headers["content-type"]]).toEqual([200, "application/json"]);
    expect((await nodes("application/vnd.kubernetes.protobuf, */*")).status).toBe(200);
    const alone = await nodes("application/vnd.kubernetes.protobuf");
    expect([alone.status, alone.body.reason, alone.body.message]).toEqual([
      406,
      "NotAcceptable",
      "only the following media types are accepted: application/json, application/yaml",
    ]);
  });

  test("YAML can be requested", async () => {
    const answer = await nodes("application/yaml");
    expect([answer.headers["content-type"], answer.text.split("\n")[0]]).toEqual(["application/yaml", "apiVersion: v1"]);
  });

  test("an Ingress has the columns that kubectl prints", async () => {
    const ingresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
    const rules = ["a.example", "b.example"].map((host) => ({ host }));
    const spec = { ingressClassName: "nginx", rules, tls: [{ hosts: ["a.example"] }] };
    await bench.admin.create(ingresses, { metadata: { name: "web" }, spec });
    const { body } = await bench.admin.call("GET", ingresses, undefined, {
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    });
    expect(body.columnDefinitions.map((it: Loose) => it.name)).toEqual(["Name", "Class", "Hosts", "Address", "Ports", "Age"]);
    expect(body.rows[0].cells.slice(0, 5)).toEqual(["web", "nginx", "a.example,b.example", "", "80, 443"]);
  });
});

test("with CoreDNS disabled, Talos installs none of its objects", async () => {
  const account = "/api/v1/namespaces/kube-system/serviceaccounts/kube-proxy";
  await bench.until(async () => (await bench.admin.call("GET", account)).status === 200, "Talos's manifests");
  for (const path of [
    "/apis/apps/v1/namespaces/kube-system/deployments/coredns",
    "/api/v1/namespaces/kube-system/services/kube-dns",
    "/api/v1/namespaces/kube-system/configmaps/coredns",
  ]) {
    expect((await bench.admin.call("GET", path)).status).toBe(404);
  }
});
