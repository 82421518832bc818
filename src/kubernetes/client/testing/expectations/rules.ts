import { describe, expect, test } from "vitest";
import { deployment } from "./objects.ts";
import { configMap, configMaps, type Loose, named, type Place, signal } from "./place.ts";

/** Validation of objects, and immutable fields. */
export function ruleExpectations(place: () => Place): void {
  const admin = () => place().admin;
  const kube = () => admin().client;
  const refusal = (text: string | RegExp) => ({
    code: "KUBERNETES_INVALID",
    transient: false,
    detail: typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
  });

  describe("rules", () => {
    test("a Job's template stays as it was made", async () => {
      const namespace = await place().namespace();
      const job = (image: string) => {
        const spec = { restartPolicy: "Never", containers: [{ name: "c", image }] };
        return named("batch/v1", "Job", { name: "j", namespace }, { spec: { parallelism: 0, template: { spec } } });
      };
      await kube().apply(job("example.org/c:1"), signal);
      await expect(kube().apply(job("example.org/c:2"), signal)).rejects.toMatchObject(
        refusal(/422 Invalid: Job\.batch "j" is invalid: spec\.template: Invalid value: [\s\S]*: field is immutable$/),
      );
    });

    test("a Deployment's selector stays as it was made", async () => {
      const namespace = await place().namespace();
      await kube().apply(deployment(namespace), signal);
      const other = deployment(namespace);
      other.spec.selector.matchLabels = other.spec.template.metadata.labels = { app: "other" };
      await expect(kube().apply(other, signal)).rejects.toMatchObject(
        refusal(/Deployment\.apps "d" is invalid: spec\.selector: Invalid value: [\s\S]*: field is immutable$/),
      );
    });

    test("the role that a binding is for stays what it was made for", async () => {
      const name = place().name();
      const binding = (role: string) =>
        named(
          "rbac.authorization.k8s.io/v1",
          "ClusterRoleBinding",
          { name },
          {
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
            subjects: [{ kind: "ServiceAccount", name: "x", namespace: "default" }],
          },
        );
      await kube().apply(binding("view"), signal);
      await expect(kube().apply(binding("edit"), signal)).rejects.toMatchObject(
        refusal(
          `ClusterRoleBinding.rbac.authorization.k8s.io "${name}" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`,
        ),
      );
    });

    test("of a StatefulSet only some fields change", async () => {
      const namespace = await place().namespace();
      const set = (serviceName: string) => {
        const { spec } = deployment(namespace);
        return named("apps/v1", "StatefulSet", { name: "s", namespace }, { spec: { ...spec, serviceName } });
      };
      await kube().apply(set("one"), signal);
      await expect(kube().apply(set("two"), signal)).rejects.toMatchObject(
        refusal(
          "StatefulSet.apps \"s\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ),
      );
    });

    test("what says that it is immutable is", async () => {
      const namespace = await place().namespace();
      await kube().apply({ ...configMap(namespace, "a", { x: "1" }), immutable: true } as Loose, signal);
      await expect(
        kube().apply({ ...configMap(namespace, "a", { x: "2" }), immutable: true } as Loose, signal),
      ).rejects.toMatchObject(refusal('ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set'));
    });

    test("a Service keeps its address", async () => {
      const namespace = await place().namespace();
      const service = (port: number) => named("v1", "Service", { name: "s", namespace }, { spec: { ports: [{ port }] } });
      const first: Loose = await kube().apply(service(80), signal);
      const second: Loose = await kube().apply(service(81), signal);
      expect([second.spec.clusterIP, second.spec.ports]).toEqual([
        first.spec.clusterIP,
        [{ port: 81, protocol: "TCP", targetPort: 81 }],
      ]);
    });

    test("labels have rules", async () => {
      const namespace = await place().namespace();
      await expect(kube().create(configMap(namespace, "a", {}, { x: "a b" }), signal)).rejects.toMatchObject(
        refusal(
          `ConfigMap "a" is invalid: metadata.labels: Invalid value: "a b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
        ),
      );
    });

    test("a container needs an image; two problems are reported at once", async () => {
      const namespace = await place().namespace();
      const pod = named(
        "v1",
        "Pod",
        { name: "p", namespace },
        { spec: { containers: [{ name: "c" }, { name: "C", image: "x" }] } },
      );
      const { status, body } = await admin().call("POST", `/api/v1/namespaces/${namespace}/pods`, { body: pod });
      expect([status, body.details.causes.map(({ reason, field }: Loose) => `${reason} ${field}`)]).toEqual([
        422,
        ["FieldValueRequired spec.containers[0].image", "FieldValueInvalid spec.containers[1].name"],
      ]);
      expect(body.message).toMatch(
        /^Pod "p" is invalid: \[spec\.containers\[0\]\.image: Required value, spec\.containers\[1\]\.name: Invalid value: "C": /,
      );
    });

    test("a name may be left to the server", async () => {
      const namespace = await place().namespace();
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
      const made = await admin().call("POST", configMaps(namespace), { body });
      expect(made.body.metadata.name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    });

    test("what is tried and is not there has an identity, but no version", async () => {
      const namespace = await place().namespace();
      const { metadata } = await kube().tryApply(configMap(namespace, "a"), signal);
      expect([typeof metadata.uid, metadata.resourceVersion]).toEqual(["string", undefined]);
    });

    test("a namespace that raises its PodSecurity level gets a warning that lists violating pods", async () => {
      const namespace = await place().namespace();
      const pod = named(
        "v1",
        "Pod",
        { name: "p", namespace },
        { spec: { containers: [{ name: "c", image: "example.org/c:1" }] } },
      );
      await kube().create(pod, signal);
      const { warnings } = await admin().call("PATCH", `/api/v1/namespaces/${namespace}?dryRun=All`, {
        body: { metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } } },
        type: "application/merge-patch+json",
      });
      expect(warnings).toEqual([
        `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "restricted:latest"`,
        "p: allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
      ]);
    });
  });
}
