import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../objects.ts";
import { openKubernetes } from "./kubernetes-client.ts";
import { type ApiServer, accessTo, status } from "./testing/api-server.ts";
import { conversations } from "./testing/conversations.ts";

const { signal } = new AbortController();
const { world, open, us, server, clientOf } = conversations();
const lines = (of: ApiServer) => of.asked.map(({ method, path }) => `${method} ${path}`);
const job: KubernetesObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "x", namespace: "kube-system" } };
const jobRef = { apiVersion: "batch/v1", kind: "Job", namespace: "kube-system", name: "x" };
const nodes = { apiVersion: "v1", kind: "Node" };

describe("asking", () => {
  test("access is not requested before the first call", async () => {
    let askedFor = 0;
    const api = await server(() => ({ body: { gitVersion: "v1.36.3" } }));
    const client = openKubernetes(world, () => {
      askedFor++;
      return accessTo(us(), api.url);
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
      return accessTo(us(), api.url);
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

  test("an unknown kind is an error, and is queried again the next time", async () => {
    const api = await server();
    const client = clientOf(api.url);
    const things = { apiVersion: "example.org/v1", kind: "Thing" };
    expect([await client.knows(nodes, signal), await client.knows(things, signal)]).toEqual([true, false]);
    await client.knows(things, signal);
    expect(lines(api)).toEqual(["GET /api/v1", "GET /apis/example.org/v1", "GET /apis/example.org/v1"]);
  });

  test("the abort of the first query does not affect the second one", async () => {
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
  test("apply is a server-side apply by force, in our name", async () => {
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

  test("a deletion reports whether the object existed", async () => {
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

  test("a change whose response was lost is not sent again to any server", async () => {
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
