import assert from "node:assert/strict";

const NAMESPACE = "others";

/** What a person asks for less often: rights of others, autoscalers, Ingresses, other forms. */
export async function otherKinds(ask) {
  await ask(["create", "namespace", NAMESPACE]);
  const here = (args, input) => ask(["-n", NAMESPACE, ...args], input);

  await assert.rejects(here(["auth", "can-i", "list", "nodes", "--as", "bob"]), /^no$/m, "auth can-i --as");
  await here(["create", "clusterrole", "node-reader", "--verb=list", "--resource=nodes"]);
  await here(["create", "clusterrolebinding", "node-reader", "--clusterrole=node-reader", "--group=readers"]);
  assert.match(await here(["auth", "can-i", "list", "nodes", "--as", "bob", "--as-group", "readers"]), /^yes$/m, "--as-group");
  assert.match(await here(["get", "nodes", "--as", "bob", "--as-group", "readers", "-o", "name"]), /^node\/cp-1$/m, "get --as");
  await assert.rejects(here(["get", "pods", "--as", "bob"]), /User "bob" cannot list resource "pods"/, "get --as, refused");
  assert.match(await here(["auth", "whoami", "--as", "bob"]), /Username +bob\nGroups +\[system:authenticated\]/, "whoami --as");
  const account = `system:serviceaccount:${NAMESPACE}:default`;
  assert.match(await here(["auth", "can-i", "--list", "--as", account]), /selfsubjectreviews\.authentication/, "can-i --list");
  assert.match(await here(["auth", "can-i", "get", "/version", "--as", "bob"]), /^yes$/m, "can-i, a path");

  await here(["create", "deployment", "web", "--image=registry.example/nginx:1.27"]);
  await here(["autoscale", "deployment", "web", "--min=1", "--max=3", "--cpu-percent=50"]);
  assert.match(await here(["get", "hpa"]), /web +Deployment\/web +cpu: <unknown>\/50% +1 +3 /, "autoscale");
  const percent = ["-o", "jsonpath={.spec.targetCPUUtilizationPercentage}"];
  assert.equal(await here(["get", "horizontalpodautoscalers.v1.autoscaling", "web", ...percent]), "50", "autoscaling/v1");
  assert.match(await here(["describe", "hpa", "web"]), /resource cpu on pods.*<unknown> \/ 50%/, "describe hpa");

  await here(["expose", "deployment", "web", "--port=80"]);
  assert.match(await here(["describe", "service", "web"]), /Port: +<unset> +80\/TCP/, "describe service");
  await here(["create", "ingress", "web", "--class=nginx", "--rule=a.example/*=web:80,tls=cert"]);
  const [titles, row] = (await here(["get", "ingress"])).split("\n");
  assert.match(titles, /^NAME +CLASS +HOSTS +ADDRESS +PORTS +AGE$/, "columns of an Ingress");
  assert.match(row, /^web +nginx +a\.example +80, 443 /, "cells of an Ingress");
  assert.match(await here(["describe", "ingress", "web"]), /a\.example\s+\/ +web:80/, "an Ingress that came as protobuf");
  await ask(["delete", "namespace", NAMESPACE, "--timeout=300s"]);
}
