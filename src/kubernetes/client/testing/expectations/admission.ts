import { describe, expect, test } from "vitest";
import { deployment } from "./objects.ts";
import { configMap, configMaps, type Loose, named, type Place, signal } from "./place.ts";

const ENFORCE = "pod-security.kubernetes.io/enforce";

function pod(namespace: string, spec: object = {}, container: object = {}) {
  return named(
    "v1",
    "Pod",
    { name: "p", namespace },
    {
      spec: { containers: [{ name: "c", image: "example.org/c:1", ...container }], ...spec },
    },
  );
}

const RESTRICTED = [
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])',
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
].join(", ");

/** Valid objects that admission refuses: in terminating namespaces, and pods with too many privileges. Talos enforces baseline and warns about the rest. */
export function admissionExpectations(place: () => Place): void {
  const admin = () => place().admin;
  const kube = () => admin().client;
  const pods = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;

  describe("namespaces", () => {
    test("one is active, carries its name as a label, and is held by Kubernetes", async () => {
      const name = await place().namespace();
      const found: Loose = await kube().get({ apiVersion: "v1", kind: "Namespace", name }, signal);
      expect(found.metadata.labels).toEqual({ "kubernetes.io/metadata.name": name });
      expect([found.spec, found.status]).toEqual([{ finalizers: ["kubernetes"] }, { phase: "Active" }]);
    });

    test("in one that ends nothing is made any more", async () => {
      const name = await place().namespace();
      await kube().create(named("v1", "ConfigMap", { name: "holds", namespace: name, finalizers: ["example.org/wait"] }), signal);
      await kube().delete({ apiVersion: "v1", kind: "Namespace", name }, {}, signal);
      const found: Loose = await kube().get({ apiVersion: "v1", kind: "Namespace", name }, signal);
      expect(found.status.phase).toBe("Terminating");
      const { status, body } = await admin().call("POST", configMaps(name), { body: configMap(name, "late") });
      expect([status, body.reason, body.message]).toEqual([
        403,
        "Forbidden",
        `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
      ]);
      expect(body.details.causes).toEqual([
        { reason: "NamespaceTerminating", message: `namespace ${name} is being terminated`, field: "metadata.namespace" },
      ]);
    });

    test("the system's own may not be deleted", async () => {
      const { status, body } = await admin().call("DELETE", "/api/v1/namespaces/kube-system");
      expect([status, body.message]).toEqual([403, 'namespaces "kube-system" is forbidden: this namespace may not be deleted']);
    });
  });

  describe("PodSecurity", () => {
    test.each([
      [{ hostNetwork: true }, {}, "host namespaces (hostNetwork=true)"],
      [{ hostNetwork: true, hostPID: true }, {}, "host namespaces (hostNetwork=true, hostPID=true)"],
      [{}, { securityContext: { privileged: true } }, 'privileged (container "c" must not set securityContext.privileged=true)'],
      [{ volumes: [{ name: "v", hostPath: { path: "/etc" } }] }, {}, 'hostPath volumes (volume "v")'],
      [{}, { ports: [{ containerPort: 80, hostPort: 80 }] }, 'hostPort (container "c" uses hostPort 80)'],
      [
        {},
        { securityContext: { capabilities: { add: ["SYS_ADMIN"] } } },
        'non-default capabilities (container "c" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
      ],
      [
        { hostPID: true },
        { securityContext: { privileged: true } },
        'host namespaces (hostPID=true), privileged (container "c" must not set securityContext.privileged=true)',
      ],
    ])("baseline refuses %j %j", async (spec, container, problem) => {
      const namespace = await place().namespace();
      await expect(kube().create(pod(namespace, spec, container), signal)).rejects.toMatchObject({
        code: "KUBERNETES_DENIED",
        detail: expect.stringContaining(
          `403 Forbidden: pods "p" is forbidden: violates PodSecurity "baseline:latest": ${problem}`,
        ),
      });
    });

    test("what restricted would refuse is only warned of", async () => {
      const namespace = await place().namespace();
      const { status, warnings } = await admin().call("POST", `${pods(namespace)}?dryRun=All`, { body: pod(namespace) });
      expect([status, warnings]).toEqual([201, [`would violate PodSecurity "restricted:latest": ${RESTRICTED}`]]);
    });

    test("a namespace may ask for more", async () => {
      const namespace = await place().namespace({ [ENFORCE]: "restricted" });
      const { status, body } = await admin().call("POST", pods(namespace), { body: pod(namespace) });
      expect([status, body.message]).toEqual([
        403,
        `pods "p" is forbidden: violates PodSecurity "restricted:latest": ${RESTRICTED}`,
      ]);
      const good = pod(
        namespace,
        { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } },
        { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } },
      );
      expect(await admin().call("POST", `${pods(namespace)}?dryRun=All`, { body: good })).toMatchObject({
        status: 201,
        warnings: [],
      });
    });

    test("a namespace may ask for less, and kube-system is let be", async () => {
      const namespace = await place().namespace({ [ENFORCE]: "privileged" });
      const own = pod(namespace, { hostNetwork: true });
      expect((await admin().call("POST", `${pods(namespace)}?dryRun=All`, { body: own })).status).toBe(201);
      await kube().apply(named("v1", "ServiceAccount", { name: "default", namespace: "kube-system" }), signal);
      const system = pod("kube-system", { hostNetwork: true });
      expect(await admin().call("POST", `${pods("kube-system")}?dryRun=All`, { body: system })).toMatchObject({
        status: 201,
        warnings: [],
      });
    });

    test("what makes pods is let through with a warning", async () => {
      const namespace = await place().namespace();
      const { status, warnings } = await admin().call("POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
        body: deployment(namespace, { securityContext: { privileged: true } }),
      });
      expect(status).toBe(201);
      expect(warnings.join("\n")).toMatch(
        /^would violate PodSecurity "restricted:latest": privileged \(container "c" must not set/,
      );
    });

    test("only the three levels are known", async () => {
      await expect(
        kube().apply(named("v1", "Namespace", { name: "wrong-level", labels: { [ENFORCE]: "strict" } }), signal),
      ).rejects.toMatchObject({
        code: "KUBERNETES_INVALID",
        detail: expect.stringContaining(
          `Namespace "wrong-level" is invalid: metadata.labels[${ENFORCE}]: Invalid value: "strict": must be one of privileged, baseline, restricted`,
        ),
      });
    });
  });

  test("a pod needs an account that is there", async () => {
    const namespace = await place().namespace();
    const { status, body } = await admin().call("POST", pods(namespace), {
      body: pod(namespace, { serviceAccountName: "nobody" }),
    });
    expect([status, body.message]).toEqual([
      403,
      `pods "p" is forbidden: error looking up service account ${namespace}/nobody: serviceaccount "nobody" not found`,
    ]);
  });

  describe("pods that no node has", () => {
    const two = { containers: ["c", "d"].map((name) => ({ name, image: "example.org/c:1" })), nodeSelector: { nobody: "has" } };

    test("the log of one is empty, and at its end; which container must be said", async () => {
      const namespace = await place().namespace();
      await kube().create(pod(namespace, two), signal);
      const logs = (container?: string) =>
        kube().logs({ namespace, name: "p", ...(container !== undefined && { container }) }, {}, signal);
      expect(await logs("c")).toBe("");
      expect((await admin().call("GET", `${pods(namespace)}/p/log?container=c`)).status).toBe(204);
      await expect(logs("x")).rejects.toMatchObject({
        detail: expect.stringContaining("400 BadRequest: container x is not valid for pod p"),
      });
      await expect(logs()).rejects.toMatchObject({
        detail: expect.stringContaining("400 BadRequest: a container name must be specified for pod p, choose one of: [c d]"),
      });
      for await (const line of kube().followLogs({ namespace, name: "p", container: "c" }, {}, signal))
        expect(line).toBeUndefined();
    });

    test("one is evicted, this very one", async () => {
      const namespace = await place().namespace();
      const { metadata } = await kube().create(pod(namespace, two), signal);
      const uid = "0d3ad8d8-0000-4000-8000-000000000000";
      expect(await kube().evict({ namespace, name: "p", uid }, signal)).toEqual({ is: "gone" });
      expect(await kube().evict({ namespace, name: "p", uid: metadata.uid }, signal)).toEqual({ is: "leaving" });
      expect(await kube().get({ apiVersion: "v1", kind: "Pod", namespace, name: "p" }, signal)).toBeUndefined();
      expect(await kube().evict({ namespace, name: "p" }, signal)).toEqual({ is: "gone" });
    });
  });
}
