import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import type { KubernetesObject } from "../objects.ts";
import { type KubernetesClient, openKubernetes } from "./kubernetes-client.ts";
import { type ApiServer, accessTo, apiServer, type Behaviour, type Identity, identity, status } from "./testing/api-server.ts";

const world = testWorld();
const { signal } = new AbortController();
let us: Identity;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  us = await identity(world);
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(() => {
  expect(open).toEqual([]);
});

async function server(behave: Behaviour = () => undefined): Promise<ApiServer> {
  const started = await apiServer(world, us, behave);
  open.push(started);
  return started;
}

function clientOf(...servers: string[]): KubernetesClient {
  const client = openKubernetes(world, () => accessTo(us, ...servers));
  open.push(client);
  return client;
}

const lines = (of: ApiServer) => of.asked.map(({ method, path }) => `${method} ${path}`);
const job: KubernetesObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "x", namespace: "kube-system" } };
const jobRef = { apiVersion: "batch/v1", kind: "Job", namespace: "kube-system", name: "x" };
const nodes = { apiVersion: "v1", kind: "Node" };

describe("asking", () => {
  test("nobody is asked for access before the first call", async () => {
    let askedFor = 0;
    const api = await server(() => ({ body: { gitVersion: "v1.36.3" } }));
    const client = openKubernetes(world, () => {
      askedFor++;
      return accessTo(us, api.url);
    });
    open.push(client);
    expect(askedFor).toBe(0);
    expect(await client.version(signal)).toBe("v1.36.3");
    await client.version(signal);
    expect([askedFor, client.calls()]).toEqual([1, 2]);
  });

  test("access that could not be had is asked for again", async () => {
    const api = await server(() => ({ body: { gitVersion: "v1.36.3" } }));
    let tries = 0;
    const client = openKubernetes(world, async () => {
      if (tries++ === 0) throw new Error("no secrets.yaml yet");
      return accessTo(us, api.url);
    });
    open.push(client);
    await expect(client.version(signal)).rejects.toThrow("no secrets.yaml yet");
    expect(await client.version(signal)).toBe("v1.36.3");
  });

  test("we prove who we are with the client certificate", async () => {
    const api = await server(() => ({ body: { gitVersion: "v1.36.3" } }));
    await clientOf(api.url).version(signal);
    expect(api.asked[0]?.client).toBe("admin");
  });

  test("a kind's path comes from discovery, which is asked once for its group", async () => {
    const api = await server(({ path }) => (path.endsWith("/jobs/x") ? { body: job } : undefined));
    const client = clientOf(api.url);
    expect(await client.get(jobRef, signal)).toEqual(job);
    await client.get(jobRef, signal);
    expect(lines(api)).toEqual([
      "GET /apis/batch/v1",
      "GET /apis/batch/v1/namespaces/kube-system/jobs/x",
      "GET /apis/batch/v1/namespaces/kube-system/jobs/x",
    ]);
  });

  test("an object of a kind without namespaces has none in its path", async () => {
    const api = await server();
    expect(await clientOf(api.url).get({ ...nodes, name: "cp-1" }, signal)).toBeUndefined();
    expect(lines(api).at(-1)).toBe("GET /api/v1/nodes/cp-1");
  });

  test("a kind that was defined after we first asked is found", async () => {
    let defined = false;
    const api = await server(({ path }) => {
      if (path === "/apis/example.org/v1")
        return { body: { resources: defined ? [{ name: "things", kind: "Thing", namespaced: false }] : [] } };
      return path === "/apis/example.org/v1/things" ? { body: { items: [] } } : undefined;
    });
    const client = clientOf(api.url);
    const things = { apiVersion: "example.org/v1", kind: "Thing" };
    await expect(client.list(things, signal)).rejects.toMatchObject({ code: "KUBERNETES_REFUSED" });
    defined = true;
    expect(await client.list(things, signal)).toEqual([]);
  });

  test("what a cluster does not know it says so about, and is asked again the next time", async () => {
    const api = await server();
    const client = clientOf(api.url);
    const things = { apiVersion: "example.org/v1", kind: "Thing" };
    expect([await client.knows(nodes, signal), await client.knows(things, signal)]).toEqual([true, false]);
    await client.knows(things, signal);
    expect(lines(api)).toEqual(["GET /api/v1", "GET /apis/example.org/v1", "GET /apis/example.org/v1"]);
  });

  test("whoever asked first and lost interest does not spoil it for the second", async () => {
    const stop = new AbortController();
    const api = await server(() => {
      stop.abort(new Error("lost interest"));
      return undefined;
    });
    const client = clientOf(api.url);
    const first = client.knows(nodes, stop.signal);
    const second = client.knows(nodes, signal);
    await expect(first).rejects.toThrow("lost interest");
    expect(await second).toBe(true);
  });

  test("a long list is read page by page, and its items say what they are", async () => {
    const api = await server(({ path, query }) => {
      if (path !== "/api/v1/nodes") return undefined;
      const at = Number(query.get("continue") ?? 0);
      return { body: { metadata: at < 2 ? { continue: String(at + 1) } : {}, items: [{ metadata: { name: `n${at}` } }] } };
    });
    const found = await clientOf(api.url).list({ ...nodes, labelSelector: "a=b,c!=d" }, signal);
    expect(found).toEqual([0, 1, 2].map((at) => ({ apiVersion: "v1", kind: "Node", metadata: { name: `n${at}` } })));
    expect(api.asked.at(-1)?.query.get("labelSelector")).toBe("a=b,c!=d");
  });

  test("a list whose place the server has forgotten is read from the beginning", async () => {
    let forgot = 0;
    const api = await server(({ path, query }) => {
      if (path !== "/api/v1/nodes") return undefined;
      if (!query.has("continue")) return { body: { metadata: { continue: "1" }, items: [{ metadata: { name: "a" } }] } };
      return forgot++ === 0
        ? status(410, "Expired", "The provided continue parameter is too old")
        : { body: { items: [{ metadata: { name: "b" } }] } };
    });
    const found = await clientOf(api.url).list(nodes, signal);
    expect(found.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  });

  test("a log comes as text, its last lines only when that is asked for", async () => {
    const api = await server(({ path }) => (path.endsWith("/log") ? { body: "one\ntwo\n" } : undefined));
    const pod = { namespace: "kube-system", name: "p", container: "helm" };
    expect(await clientOf(api.url).logs(pod, { tailLines: 20 }, signal)).toBe("one\ntwo\n");
    expect(api.asked[0]).toMatchObject({ path: "/api/v1/namespaces/kube-system/pods/p/log" });
    expect(String(api.asked[0]?.query)).toBe("container=helm&tailLines=20");
  });
});

describe("changing", () => {
  test("apply is a server-side apply by force, in our name (oci-vps-gitops.md 4.5)", async () => {
    const api = await server(({ method }) => (method === "PATCH" ? { body: job } : undefined));
    await clientOf(api.url).apply(job, signal);
    const patch = api.asked.at(-1);
    expect(`${patch?.path}?${patch?.query}`).toBe(
      "/apis/batch/v1/namespaces/kube-system/jobs/x?fieldManager=talosmith&force=true",
    );
    expect(patch?.headers["content-type"]).toBe("application/apply-patch+yaml");
    expect(JSON.parse(patch?.body ?? "")).toEqual(job);
  });

  test("trying an apply is the same call, with nothing done", async () => {
    const api = await server(({ method }) => (method === "PATCH" ? { body: job } : undefined));
    await clientOf(api.url).tryApply(job, signal);
    expect(String(api.asked.at(-1)?.query)).toBe("fieldManager=talosmith&force=true&dryRun=All");
  });

  test("create is posted to the collection, and a namesake is a conflict worth looking at", async () => {
    const api = await server(({ method }) =>
      method === "POST" ? status(409, "AlreadyExists", 'jobs.batch "x" already exists') : undefined,
    );
    await expect(clientOf(api.url).create(job, signal)).rejects.toMatchObject({
      code: "KUBERNETES_CONFLICT",
      transient: true,
      message: "Unable to create Job kube-system/x",
      detail: expect.stringContaining('409 AlreadyExists: jobs.batch "x" already exists'),
    });
    expect(lines(api).at(-1)).toBe("POST /apis/batch/v1/namespaces/kube-system/jobs");
  });

  test("delete says how dependents go and which very object is meant", async () => {
    const api = await server(({ method }) => (method === "DELETE" ? { body: { kind: "Status", status: "Success" } } : undefined));
    expect(await clientOf(api.url).delete(jobRef, { propagation: "Foreground", uid: "u1" }, signal)).toBe(true);
    expect(JSON.parse(api.asked.at(-1)?.body ?? "")).toMatchObject({
      propagationPolicy: "Foreground",
      preconditions: { uid: "u1" },
    });
  });

  test("deleting what is not there is told apart from deleting", async () => {
    const api = await server();
    expect(await clientOf(api.url).delete(jobRef, {}, signal)).toBe(false);
  });

  test("merge changes what it names, and makes nothing that is not there", async () => {
    const api = await server(({ method, path }) => (method === "PATCH" && path.endsWith("/cp-1") ? { body: {} } : undefined));
    const client = clientOf(api.url);
    expect(await client.merge({ ...nodes, name: "cp-1" }, { spec: { unschedulable: true } }, signal)).toBe(true);
    expect(api.asked.at(-1)).toMatchObject({ path: "/api/v1/nodes/cp-1", body: '{"spec":{"unschedulable":true}}' });
    expect(api.asked.at(-1)?.headers["content-type"]).toBe("application/merge-patch+json");
    expect(await client.merge({ ...nodes, name: "cp-2" }, {}, signal)).toBe(false);
  });

  test("an eviction is asked of the pod's own path, and means this very pod", async () => {
    const api = await server(({ method }) => (method === "POST" ? { status: 201, body: { kind: "Status" } } : undefined));
    const pod = { namespace: "default", name: "web-1", uid: "u1" };
    expect(await clientOf(api.url).evict(pod, signal)).toEqual({ is: "leaving" });
    expect(lines(api)).toEqual(["POST /api/v1/namespaces/default/pods/web-1/eviction"]);
    expect(JSON.parse(api.asked[0]?.body ?? "")).toMatchObject({
      apiVersion: "policy/v1",
      kind: "Eviction",
      deleteOptions: { preconditions: { uid: "u1" } },
    });
  });

  // The words of kube-apiserver: pkg/registry/core/pod/storage/eviction.go.
  const BUDGET = "The disruption budget web needs 2 healthy pods and has 2 currently";
  const blocked = status(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
  test.each([
    ["a budget", { ...(blocked.body as object), details: { causes: [{ reason: "DisruptionBudget", message: BUDGET }] } }, BUDGET],
    ["a busy server", status(429, "TooManyRequests", "please try again").body, "please try again"],
  ])("an eviction that %s is against is blocked, with the reason", async (_, body, why) => {
    const api = await server(({ method }) => (method === "POST" ? { status: 429, body } : undefined));
    expect(await clientOf(api.url).evict({ namespace: "default", name: "web-1" }, signal)).toEqual({ is: "blocked", why });
    expect(api.asked).toHaveLength(1);
  });

  test.each([status(404, "NotFound", 'pods "web-1" not found'), status(409, "Conflict", "the UID in the precondition differs")])(
    "a pod that is gone, or another one by now, need not be evicted",
    async (reply) => {
      const api = await server(({ method }) => (method === "POST" ? reply : undefined));
      expect(await clientOf(api.url).evict({ namespace: "default", name: "web-1" }, signal)).toEqual({ is: "gone" });
    },
  );

  test("a change whose answer was lost is not sent a second time, to nobody", async () => {
    const cut = await server(({ method }) => (method === "POST" ? "cut" : undefined));
    const other = await server();
    await expect(clientOf(cut.url, other.url).create(job, signal)).rejects.toMatchObject({
      code: "KUBERNETES_UNREACHABLE",
      transient: true,
    });
    expect(lines(cut).filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(other.asked).toEqual([]);
  });

  test("a change is sent to the next server when the first cannot be reached at all", async () => {
    const dead = await server();
    await dead.close();
    const other = await server(({ method }) => (method === "POST" ? { status: 201, body: job } : undefined));
    expect(await clientOf(dead.url, other.url).create(job, signal)).toEqual(job);
  });
});

describe("when it does not go well", () => {
  test("the next server is asked when one is silent, and asked first from then on", async () => {
    const dead = await server();
    await dead.close();
    const alive = await server(() => ({ body: { gitVersion: "v1.36.3" } }));
    const client = clientOf(dead.url, alive.url);
    await client.version(signal);
    expect(client.calls()).toBe(2);
    await client.version(signal);
    expect(client.calls()).toBe(3);
  });

  test("when all are silent, each is named", async () => {
    const [one, two] = [await server(), await server()];
    await one.close();
    await two.close();
    await expect(clientOf(one.url, two.url).version(signal)).rejects.toMatchObject({
      code: "KUBERNETES_UNREACHABLE",
      transient: true,
      detail: expect.stringMatching(new RegExp(`${new URL(one.url).host}[^]*${new URL(two.url).host}`)),
    });
  });

  test("somebody with another CA's certificate is sent nothing, and trying again would not help", async () => {
    const stranger = await apiServer(world, await identity(world), () => undefined);
    open.push(stranger);
    await expect(clientOf(stranger.url).version(signal)).rejects.toMatchObject({
      code: "KUBERNETES_UNREACHABLE",
      transient: false,
      hint: expect.stringContaining("not this cluster"),
    });
    expect(stranger.asked).toEqual([]);
  });

  test.each([
    [401, "Unauthorized", "KUBERNETES_DENIED", false],
    [403, "Forbidden", "KUBERNETES_DENIED", false],
    [409, "Conflict", "KUBERNETES_CONFLICT", true],
    [422, "Invalid", "KUBERNETES_INVALID", false],
    [400, "BadRequest", "KUBERNETES_INVALID", false],
    [405, "MethodNotAllowed", "KUBERNETES_REFUSED", false],
    [429, "TooManyRequests", "KUBERNETES_REFUSED", true],
    [500, "InternalError", "KUBERNETES_REFUSED", true],
    [504, "Timeout", "KUBERNETES_REFUSED", true],
  ])("%i %s is %s, worth another try: %s", async (code, reason, expected, transient) => {
    const api = await server(({ method }) => (method === "PATCH" ? status(code, reason, "because") : undefined));
    await expect(clientOf(api.url).merge(jobRef, {}, signal)).rejects.toMatchObject({ code: expected, transient });
  });

  test("reading is tried again when the server is busy", async () => {
    let busy = 2;
    const api = await server(({ path }) =>
      path === "/version"
        ? busy-- > 0
          ? status(429, "TooManyRequests", "later")
          : { body: { gitVersion: "v1.36.3" } }
        : undefined,
    );
    expect(await clientOf(api.url).version(signal)).toBe("v1.36.3");
  });

  test.each([
    // apiserver: reason Conflict, registry/generic/registry/store.go by way of OptimisticLockErrorMsg.
    [409, "Conflict", "the object has been modified; please apply your changes to the latest version and try again"],
    [500, "InternalError", "etcdserver: leader changed"],
    [503, "ServiceUnavailable", "the server is currently unable to handle the request"],
    [504, "Timeout", "request did not complete within the allotted timeout"],
  ])("an apply that meets %i %s is sent again, because twice comes to the same", async (code, reason, message) => {
    let failures = 2;
    const api = await server(({ method }) =>
      method !== "PATCH" ? undefined : failures-- > 0 ? status(code, reason, message) : { body: job },
    );
    expect(await clientOf(api.url).apply(job, signal)).toEqual(job);
  });

  test("an apply that somebody else's fields are in the way of is not sent again, and the other manager is named", async () => {
    const conflict = 'Apply failed with 1 conflict: conflict with "kubectl" using batch/v1: .spec.parallelism';
    const api = await server(({ method }) => (method === "PATCH" ? status(409, "Conflict", conflict) : undefined));
    await expect(clientOf(api.url).apply(job, signal)).rejects.toMatchObject({
      code: "KUBERNETES_CONFLICT",
      detail: expect.stringContaining('conflict with "kubectl"'),
    });
    expect(lines(api).filter((line) => line.startsWith("PATCH"))).toHaveLength(1);
  });

  test("a change that a busy server did not look at is sent again, when the server said to", async () => {
    let busy = true;
    const api = await server(({ method }) => {
      if (method !== "POST") return undefined;
      const reply = busy ? { ...status(429, "TooManyRequests", "later"), headers: { "retry-after": "2" } } : { body: job };
      busy = false;
      return reply;
    });
    const started = world.clock.monotonic();
    expect(await clientOf(api.url).create(job, signal)).toEqual(job);
    expect(world.clock.monotonic() - started).toBeGreaterThanOrEqual(2_000);
  });

  test("a change that may have been made is not sent again", async () => {
    const api = await server(({ method }) => (method === "POST" ? status(500, "InternalError", "leader changed") : undefined));
    await expect(clientOf(api.url).create(job, signal)).rejects.toMatchObject({ transient: true });
    expect(lines(api).filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  test("a server that wants to be left alone for minutes is not waited for", async () => {
    const reply = { ...status(429, "TooManyRequests", "later"), headers: { "retry-after": "600" } };
    const api = await server(({ path }) => (path === "/version" ? reply : undefined));
    await expect(clientOf(api.url).version(signal)).rejects.toMatchObject({ transient: true });
    expect(api.asked).toHaveLength(1);
  });

  test("a 404 that Kubernetes did not say does not mean that an object is absent", async () => {
    const api = await server(({ path }) =>
      path.endsWith("/jobs/x") ? { status: 404, body: "<html>not here</html>" } : undefined,
    );
    await expect(clientOf(api.url).get(jobRef, signal)).rejects.toMatchObject({ code: "KUBERNETES_REFUSED" });
  });

  test("an interrupted call ends with the interruption", async () => {
    const stop = new AbortController();
    const api = await server(() => {
      stop.abort(new Error("Ctrl-C"));
      return "cut";
    });
    await expect(clientOf(api.url).version(stop.signal)).rejects.toThrow("Ctrl-C");
  });
});

describe("ready", () => {
  test("any server that is ready is enough", async () => {
    const starting = await server(() => ({
      status: 500,
      body: "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed",
    }));
    const up = await server(() => ({ body: "ok" }));
    expect(await clientOf(starting.url, up.url).ready(signal)).toBe(true);
  });

  test("the reasons of all are told when none is, in the words of the checks that fail", async () => {
    const starting = await server(() => ({
      status: 500,
      body: "[+]ping ok\n[-]etcd failed: reason withheld\n[-]poststarthook/rbac/bootstrap-roles failed: reason withheld\nreadyz check failed",
    }));
    const dead = await server();
    await dead.close();
    const { reason } = (await clientOf(starting.url, dead.url).ready(signal)) as { reason: string };
    expect(reason).toMatch(/is not ready: etcd, poststarthook\/rbac\/bootstrap-roles; Unable to reach 127\.0\.0\.1/);
  });

  test("an address of its own is asked alone, as the same person", async () => {
    const node = await server(() => ({ body: "ok" }));
    const vip = await server(() => ({ status: 500, body: "[-]etcd failed: reason withheld" }));
    const client = clientOf(node.url);
    expect(await client.readyAt(vip.url, signal)).toEqual({ reason: `${new URL(vip.url).host} is not ready: etcd` });
    expect([node.asked.length, vip.asked[0]?.client]).toEqual([0, "admin"]);
  });

  test("a certificate that is not accepted is an error, not a reason to wait", async () => {
    const api = await server(() => status(401, "Unauthorized", "Unauthorized"));
    await expect(clientOf(api.url).ready(signal)).rejects.toMatchObject({ code: "KUBERNETES_DENIED" });
  });
});
