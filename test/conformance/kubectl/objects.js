import assert from "node:assert/strict";

const NAMESPACE = "objects";

const service = (port, labels = {}) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", labels },
    spec: { selector: { app: "web" }, ports: [{ name: "http", port }] },
  });

/** What is written: on our side, on the server's, in parts, by two at once; and what is refused. */
export async function objects(ask) {
  await ask(["create", "namespace", NAMESPACE]);
  const here = (args, input) => ask(["-n", NAMESPACE, ...args], input);
  const apply = (input, ...flags) => here(["apply", ...flags, "-f", "-"], input);

  assert.equal(await apply(service(80)), "service/web created\n", "apply");
  assert.equal(await apply(service(80)), "service/web unchanged\n", "apply again");
  await assert.rejects(here(["diff", "-f", "-"], service(81)), /^\+ +port: 81$/m, "diff");
  assert.equal(await here(["diff", "-f", "-"], service(80)), "", "diff without a difference");
  assert.equal(await apply(service(81)), "service/web configured\n", "apply after an edit");
  assert.equal(await here(["get", "service", "web", "-o", "jsonpath={.spec.ports[*].port}"]), "81", "ports have keys");

  assert.equal(await apply(service(81), "--server-side"), "service/web serverside-applied\n", "apply --server-side");
  const managers = ["get", "service", "web", "--show-managed-fields", "-o", "jsonpath={.metadata.managedFields[*].manager}"];
  assert.deepEqual(
    (await here(managers)).split(" ").sort(),
    ["kubectl", "kubectl-last-applied"],
    "what was applied on our side belongs to the server's apply now",
  );
  const mine = service(81, { team: "a" });
  await apply(mine, "--server-side");
  await assert.rejects(
    apply(service(81, { team: "b" }), "--server-side", "--field-manager=other"),
    /Apply failed with 1 conflict: conflict with "kubectl": \.metadata\.labels\.team/,
    "two want different things",
  );
  await apply(service(81, { team: "b" }), "--server-side", "--field-manager=other", "--force-conflicts");
  assert.equal(await here(["get", "service", "web", "-o", "jsonpath={.metadata.labels.team}"]), "b", "--force-conflicts");
  await apply(service(81), "--server-side", "--field-manager=other");
  assert.equal(await here(["get", "service", "web", "-o", "jsonpath={.metadata.labels.team}"]), "", "what nobody wants goes");

  const wrong = service(81).replace('"selector"', '"selektor"');
  await assert.rejects(
    apply(wrong, "--server-side"),
    /failed to create typed patch object \(objects\/web; \/v1, Kind=Service\): \.spec\.selektor: field not declared in schema/,
    "a field nobody knows, on the server's side",
  );
  await assert.rejects(
    here(["create", "-f", "-"], wrong.replace("web", "other")),
    /Service in version "v1" cannot be handled as a Service: strict decoding error: unknown field "spec\.selektor"/,
    "a field nobody knows",
  );

  await here(["patch", "service", "web", "-p", '{"spec":{"ports":[{"port":82,"name":"more"}]}}']);
  assert.equal(await here(["get", "service", "web", "-o", "jsonpath={.spec.ports[*].port}"]), "82 81", "a strategic patch");
  await here(["patch", "service", "web", "--type=merge", "-p", '{"spec":{"ports":[{"port":83}]}}']);
  assert.equal(await here(["get", "service", "web", "-o", "jsonpath={.spec.ports[*].port}"]), "83", "a merge patch");
  await here(["patch", "service", "web", "--type=json", "-p", '[{"op":"replace","path":"/spec/ports/0/port","value":84}]']);
  assert.equal(await here(["get", "service", "web", "-o", "jsonpath={.spec.ports[*].port}"]), "84", "a JSON patch");

  assert.equal(await here(["label", "service", "web", "tier=front"]), "service/web labeled\n", "label");
  await assert.rejects(here(["label", "service", "web", "tier=back"]), /already has a value \(front\)/, "label again");
  assert.equal(await here(["annotate", "service", "web", "note=x"]), "service/web annotated\n", "annotate");
  assert.equal(await here(["get", "services", "-l", "tier in (front,back),!gone", "-o", "name"]), "service/web\n", "selectors");
  assert.equal(await here(["get", "services", "--field-selector=metadata.name!=web", "-o", "name"]), "", "field selectors");
  assert.match(
    await here(["get", "service", "web", "-o", "wide"]),
    /web +ClusterIP +10\.\S+ +<none> +84\/TCP +\S+ +app=web/,
    "wide",
  );
  assert.match(await here(["get", "service", "web", "-o", "yaml"]), /^kind: Service$/m, "yaml");

  assert.match(await here(["delete", "service", "web", "--dry-run=server"]), /deleted .*server dry run/, "delete --dry-run");
  assert.equal(await here(["delete", "service", "web"]), 'service "web" deleted\n', "delete");
  await assert.rejects(here(["get", "service", "web"]), /services "web" not found/, "get after delete");
  await ask(["delete", "namespace", NAMESPACE, "--timeout=300s"]);
  await assert.rejects(ask(["get", "namespace", NAMESPACE]), /namespaces "objects" not found/, "a namespace goes with all in it");
}
