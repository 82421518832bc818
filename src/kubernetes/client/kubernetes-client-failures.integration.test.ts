import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../objects.ts";
import { type ApiServer, apiServer, identity, status } from "./testing/api-server.ts";
import { conversations } from "./testing/conversations.ts";

const { signal } = new AbortController();
const { world, open, server, clientOf } = conversations();
const lines = (of: ApiServer) => of.asked.map(({ method, path }) => `${method} ${path}`);
const job: KubernetesObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "x", namespace: "kube-system" } };
const jobRef = { apiVersion: "batch/v1", kind: "Job", namespace: "kube-system", name: "x" };

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

  test("a server with a certificate of another CA is sent nothing, and the call is not retried", async () => {
    const stranger = await apiServer(world, await identity(world), () => undefined);
    open.push(stranger);
    await expect(clientOf(stranger.url).version(signal)).rejects.toMatchObject({
      code: "KUBERNETES_UNREACHABLE",
      transient: false,
      hint: expect.stringContaining("another server answers there"),
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

  test("an apply that conflicts with another manager's fields is not retried, and the error names the manager", async () => {
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

  test("when no server is ready, the error lists the failing checks of all", async () => {
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
