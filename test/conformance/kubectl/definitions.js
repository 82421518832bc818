import assert from "node:assert/strict";

const rule = { type: "string", pattern: "^\\S+( \\S+){4}$" };
const DEFINITION = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", singular: "crontab", kind: "CronTab", shortNames: ["ct"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
        additionalPrinterColumns: [{ name: "Spec", type: "string", jsonPath: ".spec.cronSpec" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["cronSpec"],
                properties: {
                  cronSpec: rule,
                  image: { type: "string", default: "busybox" },
                  replicas: { type: "integer", minimum: 1, maximum: 10 },
                },
              },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
});

const crontab = (spec) =>
  JSON.stringify({ apiVersion: "stable.example.com/v1", kind: "CronTab", metadata: { name: "mine" }, spec });

/** What there is, and what somebody adds to it. */
export async function definitions(ask) {
  assert.match(await ask(["api-resources"]), /deployments +deploy +apps\/v1 +true +Deployment/, "api-resources");
  assert.match(
    await ask(["api-resources", "--namespaced=false", "-o", "wide"]),
    /^nodes +no +v1 +false +Node +create,/m,
    "-o wide",
  );
  assert.match(await ask(["api-versions"]), /^apps\/v1$/m, "api-versions");
  assert.match(await ask(["explain", "pod.spec.containers.ports"]), /containerPort\s+<integer> -required-/, "explain");

  assert.match(await ask(["create", "-f", "-"], DEFINITION), /crontabs\.stable\.example\.com created/, "a definition");
  await ask(["wait", "--for=condition=Established", "crd/crontabs.stable.example.com", "--timeout=300s"]);
  assert.match(await ask(["describe", "crd", "crontabs.stable.example.com"]), /Initial ?Names ?Accepted/, "describe crd");
  assert.match(await ask(["explain", "crontab.spec"]), /cronSpec\s+<string> -required-/, "explain what was defined");
  const refused = (spec, why, what) => assert.rejects(ask(["apply", "-f", "-"], crontab(spec)), why, what);
  await refused({}, /The CronTab "mine" is invalid: spec\.cronSpec: Required value/, "a field that is required");
  await refused(
    { cronSpec: "x", replicas: 0 },
    /spec\.cronSpec in body should match '[^']*'\s[\s\S]*spec\.replicas in body should be greater than or equal to 1/,
    "rules",
  );
  await refused({ cronSpec: "* * * * *", more: 1 }, /strict decoding error: unknown field "spec\.more"/, "a field nobody knows");
  assert.equal(
    await ask(["apply", "-f", "-"], crontab({ cronSpec: "* * * * *", replicas: 1 })),
    "crontab.stable.example.com/mine created\n",
  );
  assert.match(await ask(["get", "ct"]), /NAME +SPEC\nmine +\* \* \* \* \*/, "printer columns");
  assert.equal(await ask(["get", "ct", "mine", "-o", "jsonpath={.spec.image}"]), "busybox", "a default");
  assert.equal(await ask(["scale", "ct", "mine", "--replicas=4"]), "crontab.stable.example.com/mine scaled\n", "scale");
  assert.equal(await ask(["get", "ct", "mine", "-o", "jsonpath={.spec.replicas}"]), "4", "scaled");
  await ask([
    "patch",
    "ct",
    "mine",
    "--subresource=status",
    "--type=merge",
    "-p",
    '{"status":{"replicas":4},"spec":{"replicas":9}}',
  ]);
  assert.equal(await ask(["get", "ct", "mine", "-o", "jsonpath={.spec.replicas} {.status.replicas}"]), "4 4", "status apart");
  await ask(["delete", "crd", "crontabs.stable.example.com", "--timeout=300s"]);
  // What kubectl remembers of the API may be older.
  const gone = /doesn't have a resource type|could not find the requested resource/;
  await assert.rejects(ask(["get", "crontabs"]), gone, "a definition goes with all of it");
}
