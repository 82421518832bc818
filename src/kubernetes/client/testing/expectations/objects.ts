import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../objects.ts";
import { configMap, configMaps, LEASE, type Loose, lease, leases, named, type Place, signal } from "./place.ts";

const CONFIG_MAP = { apiVersion: "v1", kind: "ConfigMap" };

/** Creating, reading, listing, changing and deleting objects of built-in kinds. */
export function objectExpectations(place: () => Place): void {
  const admin = () => place().admin;
  const kube = () => admin().client;

  describe("objects", () => {
    test("the server says its version and that it is ready", async () => {
      expect(await kube().ready(signal)).toBe(true);
      expect(await kube().version(signal)).toMatch(/^v1\.3\d\.\d+$/);
    });

    test("what is made has an identity, a time, a version and an owner of its fields", async () => {
      const namespace = await place().namespace();
      const made: Loose = await kube().create(configMap(namespace, "a", { x: "1" }), signal);
      expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(made.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(made.metadata.managedFields).toEqual([
        {
          manager: "talosmith",
          operation: "Update",
          apiVersion: "v1",
          time: made.metadata.creationTimestamp,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { ".": {}, "f:x": {} } },
        },
      ]);
      expect(await kube().get({ ...CONFIG_MAP, namespace, name: "a" }, signal)).toEqual(made);
    });

    test("a namesake is refused", async () => {
      const namespace = await place().namespace();
      await kube().create(configMap(namespace, "a"), signal);
      await expect(kube().create(configMap(namespace, "a"), signal)).rejects.toMatchObject({
        code: "KUBERNETES_CONFLICT",
        detail: expect.stringContaining('409 AlreadyExists: configmaps "a" already exists'),
      });
    });

    test("what is not there is not there, in the server's words", async () => {
      const namespace = await place().namespace();
      expect(await kube().get({ ...CONFIG_MAP, namespace, name: "nope" }, signal)).toBeUndefined();
      expect(await kube().delete({ ...CONFIG_MAP, namespace, name: "nope" }, {}, signal)).toBe(false);
      expect(await kube().merge({ ...CONFIG_MAP, namespace, name: "nope" }, { data: { x: "1" } }, signal)).toBe(false);
      expect((await admin().call("GET", configMaps(namespace, "nope"))).body).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: 'configmaps "nope" not found',
        reason: "NotFound",
        details: { name: "nope", kind: "configmaps" },
        code: 404,
      });
    });

    test("nothing can be made in a namespace that is not there", async () => {
      await expect(kube().create(configMap("nowhere", "a"), signal)).rejects.toMatchObject({
        detail: expect.stringContaining('404 NotFound: namespaces "nowhere" not found'),
      });
    });

    test("a list comes in pages, all of the same moment", async () => {
      const namespace = await place().namespace();
      for (const name of ["a", "b", "c", "d", "e"]) await kube().create(lease(namespace, name), signal);
      const first = (await admin().call("GET", `${leases(namespace)}?limit=2`)).body;
      expect(first.items.map(({ metadata }: Loose) => metadata.name)).toEqual(["a", "b"]);
      expect(first.metadata.remainingItemCount).toBe(3);
      await kube().create(lease(namespace, "bb"), signal);
      await kube().delete({ ...LEASE, namespace, name: "e" }, {}, signal);
      const token = encodeURIComponent(first.metadata.continue);
      const rest = (await admin().call("GET", `${leases(namespace)}?limit=9&continue=${token}`)).body;
      expect(rest.items.map(({ metadata }: Loose) => metadata.name)).toEqual(["c", "d", "e"]);
      expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      expect((await kube().list({ ...LEASE, namespace }, signal)).map(({ metadata }) => metadata.name)).toEqual([
        "a",
        "b",
        "bb",
        "c",
        "d",
      ]);
    });

    test.each([
      ["tier=front", ["a"]],
      ["tier!=front", ["b", "c"]],
      ["tier in (front,back)", ["a", "b"]],
      ["tier notin (front)", ["b", "c"]],
      ["tier", ["a", "b"]],
      ["!tier", ["c"]],
      ["tier,tier!=back", ["a"]],
    ])("labels select: %s", async (labelSelector, expected) => {
      const namespace = await place().namespace();
      await kube().create(lease(namespace, "a", "x", { tier: "front" }), signal);
      await kube().create(lease(namespace, "b", "x", { tier: "back" }), signal);
      await kube().create(lease(namespace, "c"), signal);
      const found = await kube().list({ ...LEASE, namespace, labelSelector }, signal);
      expect(found.map(({ metadata }) => metadata.name)).toEqual(expected);
    });

    test("fields select, those that are known", async () => {
      const namespace = await place().namespace();
      for (const name of ["a", "b"]) await kube().create(configMap(namespace, name), signal);
      const found = await kube().list(
        { ...CONFIG_MAP, fieldSelector: `metadata.name=b,metadata.namespace=${namespace}` },
        signal,
      );
      expect(found.map(({ metadata }) => metadata.name)).toEqual(["b"]);
      await expect(kube().list({ ...CONFIG_MAP, namespace, fieldSelector: "data.x=1" }, signal)).rejects.toMatchObject({
        code: "KUBERNETES_INVALID",
        detail: expect.stringContaining('"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
      });
    });

    test("a merge patch changes what it names, null removes", async () => {
      const namespace = await place().namespace();
      await kube().create(configMap(namespace, "a", { keep: "1", change: "1", remove: "1" }), signal);
      const of = { ...CONFIG_MAP, namespace, name: "a" };
      expect(await kube().merge(of, { data: { change: "2", remove: null } }, signal)).toBe(true);
      expect(((await kube().get(of, signal)) as Loose).data).toEqual({ keep: "1", change: "2" });
    });

    test("only the very object that is meant is deleted", async () => {
      const namespace = await place().namespace();
      const { metadata } = await kube().create(configMap(namespace, "a"), signal);
      const of = { ...CONFIG_MAP, namespace, name: "a" };
      const uid = "0d3ad8d8-0000-4000-8000-000000000000";
      await expect(kube().delete(of, { uid }, signal)).rejects.toMatchObject({
        code: "KUBERNETES_CONFLICT",
        detail: expect.stringContaining(
          `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
        ),
      });
      expect(await kube().delete(of, { uid: metadata.uid ?? "" }, signal)).toBe(true);
      expect(await kube().get(of, signal)).toBeUndefined();
    });

    test("what has a finalizer stays until that is taken away", async () => {
      const namespace = await place().namespace();
      const of = { ...CONFIG_MAP, namespace, name: "a" };
      await kube().create(named("v1", "ConfigMap", { name: "a", namespace, finalizers: ["example.org/wait"] }), signal);
      expect(await kube().delete(of, {}, signal)).toBe(true);
      expect((await kube().get(of, signal))?.metadata.deletionTimestamp).toBeDefined();
      await kube().merge(of, { metadata: { finalizers: null } }, signal);
      expect(await kube().get(of, signal)).toBeUndefined();
    });

    test("in the foreground, an object is marked and waits for its dependents", async () => {
      const namespace = await place().namespace();
      await kube().create(configMap(namespace, "a"), signal);
      const { status, body } = await admin().call("DELETE", configMaps(namespace, "a"), {
        body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Foreground" },
      });
      expect([status, body.kind, body.metadata.finalizers]).toEqual([200, "ConfigMap", ["foregroundDeletion"]]);
      expect(body.metadata).toMatchObject({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 });
    });

    test("a background deletion responds with a status that contains the object's identity", async () => {
      const namespace = await place().namespace();
      const { metadata } = await kube().create(configMap(namespace, "a"), signal);
      const { body } = await admin().call("DELETE", configMaps(namespace, "a"));
      expect(body).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "a", kind: "configmaps", uid: metadata.uid },
      });
    });

    test("a Secret's texts become base64, and what is not base64 is refused", async () => {
      const namespace = await place().namespace();
      const secret = named("v1", "Secret", { name: "s", namespace }, { stringData: { a: "text" } });
      const made: Loose = await kube().create(secret, signal);
      expect([made.type, made.data, made.stringData]).toEqual(["Opaque", { a: "dGV4dA==" }, undefined]);
      const { status, body } = await admin().call("POST", `/api/v1/namespaces/${namespace}/secrets`, {
        body: named("v1", "Secret", { name: "t", namespace }, { data: { a: "!" } }),
      });
      expect([status, body.reason]).toEqual([400, "BadRequest"]);
      expect(body.message).toBe('Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0');
    });

    test("a Secret's type stays what it was made as", async () => {
      const namespace = await place().namespace();
      await kube().apply(named("v1", "Secret", { name: "s", namespace }, { type: "Opaque" }), signal);
      await expect(
        kube().apply(named("v1", "Secret", { name: "s", namespace }, { type: "example.org/other" }), signal),
      ).rejects.toMatchObject({
        code: "KUBERNETES_INVALID",
        detail: expect.stringContaining(
          '422 Invalid: Secret "s" is invalid: type: Invalid value: "example.org/other": field is immutable',
        ),
      });
    });

    test("names have rules", async () => {
      const namespace = await place().namespace();
      await expect(kube().create(configMap(namespace, "Big"), signal)).rejects.toMatchObject({
        code: "KUBERNETES_INVALID",
        detail: expect.stringContaining(
          `ConfigMap "Big" is invalid: metadata.name: Invalid value: "Big": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
        ),
      });
    });

    test("a write with an old resourceVersion is refused", async () => {
      const namespace = await place().namespace();
      const made = await kube().create(lease(namespace, "l"), signal);
      await kube().merge({ ...LEASE, namespace, name: "l" }, { spec: { holderIdentity: "b" } }, signal);
      const { status, body } = await admin().call("PUT", leases(namespace, "l"), {
        body: { ...made, spec: { holderIdentity: "c" } },
      });
      expect([status, body.reason, body.message]).toEqual([
        409,
        "Conflict",
        'Operation cannot be fulfilled on leases.coordination.k8s.io "l": the object has been modified; please apply your changes to the latest version and try again',
      ]);
    });

    test("an unknown field is dropped with a warning, or refused when that is asked for", async () => {
      const namespace = await place().namespace();
      const odd = { ...configMap(namespace, "a"), datum: {} } as KubernetesObject;
      const warned = await admin().call("POST", `${configMaps(namespace)}?fieldValidation=Warn`, { body: odd });
      expect([warned.status, warned.warnings, warned.body.datum]).toEqual([201, ['unknown field "datum"'], undefined]);
      const strict = await admin().call("POST", `${configMaps(namespace)}?fieldValidation=Strict`, { body: odd });
      expect([strict.status, strict.body.message]).toEqual([
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "datum"',
      ]);
    });

    test("a new wish has a new generation, other changes have not", async () => {
      const namespace = await place().namespace();
      const of = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "d" };
      const generation = async () => (await kube().get(of, signal))?.metadata.generation;
      await kube().apply(deployment(namespace), signal);
      const first = await generation();
      await kube().merge(of, { metadata: { labels: { x: "1" } } }, signal);
      expect([first, await generation()]).toEqual([1, 1]);
      await kube().merge(of, { spec: { revisionHistoryLimit: 3 } }, signal);
      expect(await generation()).toBe(2);
    });

    test("what was not said is filled in", async () => {
      const namespace = await place().namespace();
      const made: Loose = await kube().apply(deployment(namespace), signal);
      expect(made.spec).toMatchObject({
        replicas: 0,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      });
      expect(made.spec.template.spec).toMatchObject({
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        schedulerName: "default-scheduler",
        terminationGracePeriodSeconds: 30,
        containers: [{ name: "c", terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" }],
      });
      const service: Loose = await kube().apply(
        named("v1", "Service", { name: "s", namespace }, { spec: { ports: [{ port: 80 }] } }),
        signal,
      );
      expect(service.spec).toMatchObject({
        type: "ClusterIP",
        sessionAffinity: "None",
        ipFamilyPolicy: "SingleStack",
        internalTrafficPolicy: "Cluster",
        ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      });
      expect(service.spec.clusterIPs).toEqual([service.spec.clusterIP]);
    });

    test("an unknown kind of a known group, and an unknown group", async () => {
      expect(await kube().knows({ apiVersion: "apps/v1", kind: "Nothing" }, signal)).toBe(false);
      expect(await kube().knows({ apiVersion: "nothing.example.org/v1", kind: "Nothing" }, signal)).toBe(false);
      expect(await kube().knows({ apiVersion: "apps/v1", kind: "DaemonSet" }, signal)).toBe(true);
      const { status, body } = await admin().call("GET", "/api/v1/nothings");
      expect([status, body.reason, body.message]).toEqual([404, "NotFound", "the server could not find the requested resource"]);
    });
  });
}

/** No pods, so that no controller has anything to do. */
export function deployment(namespace: string, container: object = {}) {
  const labels = { app: "d" };
  return named(
    "apps/v1",
    "Deployment",
    { name: "d", namespace },
    {
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "example.org/c:1", ...container }] } },
      },
    },
  );
}
