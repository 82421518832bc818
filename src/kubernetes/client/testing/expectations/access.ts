import { describe, expect, test } from "vitest";
import { configMap, configMaps, eventually, named, type Place, signal } from "./place.ts";

const RBAC = "rbac.authorization.k8s.io";

/** Permissions, and the responses to those without them. */
export function accessExpectations(place: () => Place): void {
  const admin = () => place().admin;

  async function grant(namespace: string, user: string, rules: object[]): Promise<void> {
    const role = named(`${RBAC}/v1`, "Role", { name: "r", namespace }, { rules });
    await admin().client.apply(role, signal);
    const roleRef = { apiGroup: RBAC, kind: "Role", name: "r" };
    const subjects = [{ apiGroup: RBAC, kind: "User", name: user }];
    await admin().client.apply(named(`${RBAC}/v1`, "RoleBinding", { name: "r", namespace }, { roleRef, subjects }), signal);
  }

  describe("access", () => {
    test("a refusal names the missing permission", async () => {
      const namespace = await place().namespace();
      const somebody = await place().person("somebody");
      const said = async (method: string, path: string, body?: object) =>
        (await somebody.call(method, path, body === undefined ? {} : { body })).body.message;
      const cannot = (verb: string) =>
        `User "somebody" cannot ${verb} resource "configmaps" in API group "" in the namespace "${namespace}"`;
      expect(await said("GET", configMaps(namespace))).toBe(`configmaps is forbidden: ${cannot("list")}`);
      expect(await said("GET", configMaps(namespace, "a"))).toBe(`configmaps "a" is forbidden: ${cannot("get")}`);
      expect(await said("POST", configMaps(namespace), configMap(namespace, "a"))).toBe(
        `configmaps is forbidden: ${cannot("create")}`,
      );
      expect(await said("DELETE", configMaps(namespace, "a"))).toBe(`configmaps "a" is forbidden: ${cannot("delete")}`);
      expect(await said("GET", "/api/v1/nodes")).toBe(
        'nodes is forbidden: User "somebody" cannot list resource "nodes" in API group "" at the cluster scope',
      );
      expect(await said("GET", `/apis/batch/v1/namespaces/${namespace}/jobs/j/status`)).toBe(
        `jobs.batch "j" is forbidden: User "somebody" cannot get resource "jobs/status" in API group "batch" in the namespace "${namespace}"`,
      );
      expect(await said("GET", "/metrics")).toBe('forbidden: User "somebody" cannot get path "/metrics"');
    });

    test("our client says it as a denial", async () => {
      const namespace = await place().namespace();
      const { client } = await place().person("somebody");
      await expect(client.apply(configMap(namespace, "a"), signal)).rejects.toMatchObject({
        code: "KUBERNETES_DENIED",
        transient: false,
        message: `Unable to apply ConfigMap ${namespace}/a`,
        detail: expect.stringContaining(
          '403 Forbidden: configmaps "a" is forbidden: User "somebody" cannot patch resource "configmaps"',
        ),
      });
    });

    test("what was granted may be done, in that namespace and with that verb", async () => {
      const namespace = await place().namespace();
      await grant(namespace, "reader", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }]);
      const reader = await place().person("reader");
      await eventually(async () => (await reader.call("GET", configMaps(namespace))).status === 200);
      expect((await reader.call("DELETE", configMaps(namespace, "a"))).status).toBe(403);
      expect((await reader.call("GET", configMaps("default"))).status).toBe(403);
    });

    test("a user cannot grant permissions that he does not have", async () => {
      const namespace = await place().namespace();
      await grant(namespace, "maker", [{ apiGroups: [RBAC], resources: ["roles"], verbs: ["create", "get"] }]);
      const maker = await place().person("maker");
      const path = `/apis/${RBAC}/v1/namespaces/${namespace}/roles`;
      await eventually(async () => (await maker.call("GET", `${path}/r`)).status === 200);
      const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
      const { status, body } = await maker.call("POST", path, {
        body: named(`${RBAC}/v1`, "Role", { name: "more", namespace }, { rules }),
      });
      expect([status, body.message]).toEqual([
        403,
        `roles.${RBAC} "more" is forbidden: user "maker" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
      ]);
    });

    test("requests without valid credentials are refused", async () => {
      const nobody = place().nobody();
      for (const request of [{}, { token: "not-a-token" }]) {
        const { status, body } = await nobody.call("GET", "/api/v1/namespaces", request);
        expect([status, body.reason, body.message]).toEqual([401, "Unauthorized", "Unauthorized"]);
      }
    });

    test("an account's token says who it is", async () => {
      const namespace = await place().namespace();
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 600 } };
      const given = await admin().call("POST", `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`, {
        body: request,
      });
      expect(given.status).toBe(201);
      const { token } = given.body.status;
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const { body } = await place()
        .nobody()
        .call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: review, token });
      expect(body.status.userInfo).toMatchObject({
        username: `system:serviceaccount:${namespace}:default`,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
      });
    });
  });
}
