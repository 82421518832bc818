import assert from "node:assert/strict";

/** What a rendering of each addon must have; what the values are for, in the words of the objects. */
export const CHECKS = {
  cilium(objects) {
    onTalos(objects);
    const { data } = one(objects, "ConfigMap", "cilium-config");
    const wanted = {
      "enable-ipv4": "true",
      "enable-ipv6": "true",
      "enable-hubble": "true",
      "enable-l2-announcements": "true",
      "enable-gateway-api": "true",
      "enable-gateway-api-alpn": "true",
      "enable-gateway-api-app-protocol": "true",
      "k8s-client-qps": "50",
    };
    for (const [key, value] of Object.entries(wanted)) assert.equal(data[key], value, key);
    assert.equal(one(objects, "Deployment", "cilium-operator").spec.replicas, 2);
    for (const name of ["hubble-relay", "hubble-ui"]) one(objects, "Deployment", name);
    one(objects, "GatewayClass", "cilium");
    // A key in a rendering would be a new one with every upgrade.
    assert.deepEqual(named(objects, "Secret"), []);
    one(objects, "CronJob", "hubble-generate-certs");
  },

  "cilium plain"(objects) {
    onTalos(objects);
    assert.equal(one(objects, "Deployment", "cilium-operator").spec.replicas, 1);
    assert.deepEqual(named(objects, "Deployment"), ["cilium-operator"]);
    assert.deepEqual(named(objects, "GatewayClass"), []);
    assert.equal(one(objects, "ConfigMap", "cilium-config").data["enable-ipv6"], "false");
  },

  "cilium bgp"(objects) {
    onTalos(objects);
    const { data } = one(objects, "ConfigMap", "cilium-config");
    assert.equal(data["enable-bgp-control-plane"], "true");
    assert.notEqual(data["enable-l2-announcements"], "true");
  },

  metricsServer(objects) {
    const [container] = one(objects, "Deployment", "metrics-server").spec.template.spec.containers;
    assert.ok(!container.args.some((arg) => arg.includes("insecure")), `${container.args}`);
    one(objects, "APIService", "v1beta1.metrics.k8s.io");
  },

  certManager(objects) {
    const definitions = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
    assert.ok(definitions.length >= 6, "its kinds come with the chart");
    for (const { metadata } of definitions) assert.equal(metadata.annotations["helm.sh/resource-policy"], "keep", metadata.name);
    withinBaseline(objects);
  },

  localPath(objects) {
    const { nodePathMap } = JSON.parse(one(objects, "ConfigMap", "local-path-config").data["config.json"]);
    assert.deepEqual(nodePathMap, [{ node: "DEFAULT_PATH_FOR_NON_LISTED_NODES", paths: ["/var/mnt/local-path-provisioner"] }]);
    const { annotations } = one(objects, "StorageClass", "local-path").metadata;
    assert.equal(annotations["storageclass.kubernetes.io/is-default-class"], "true");
  },
};

/** What holds for Cilium on every Talos, whatever else it is told. */
function onTalos(objects) {
  const { data } = one(objects, "ConfigMap", "cilium-config");
  assert.equal(data["kube-proxy-replacement"], "true");
  assert.equal(data.ipam, "kubernetes");
  assert.equal(data["cgroup-root"], "/sys/fs/cgroup");
  const { containers, initContainers } = one(objects, "DaemonSet", "cilium").spec.template.spec;
  const agent = containers.find(({ name }) => name === "cilium-agent");
  const env = Object.fromEntries(agent.env.map(({ name, value }) => [name, value]));
  // KubePrism.
  assert.deepEqual([env.KUBERNETES_SERVICE_HOST, env.KUBERNETES_SERVICE_PORT], ["localhost", "7445"]);
  assert.ok(!initContainers.some(({ name }) => name === "mount-cgroup"), "Talos has mounted it already");
  assert.ok(!JSON.stringify(objects).includes("SYS_MODULE"), "Talos gives it to nobody");
  for (const object of objects.filter(({ kind }) => ["DaemonSet", "Deployment", "Job"].includes(kind)))
    untilTheCloudIsThere(object);
}

/** The cloud controller comes after the network, and the next tier begins when all of the network is up. */
function untilTheCloudIsThere({ kind, metadata, spec }) {
  const tolerates = (spec.template.spec.tolerations ?? []).some(
    ({ key, operator }) => operator === "Exists" && [undefined, "node.cloudprovider.kubernetes.io/uninitialized"].includes(key),
  );
  assert.ok(tolerates, `${kind} ${metadata.name} would wait for the cloud controller, and that for it`);
}

/** Its namespace has no label, so Talos's PodSecurity must take its pods. */
function withinBaseline(objects) {
  for (const { kind, metadata, spec } of objects.filter((object) => object.spec?.template?.spec)) {
    const text = JSON.stringify(spec.template.spec);
    for (const forbidden of ['"hostPath"', '"hostNetwork":true', '"hostPID":true', '"privileged":true', '"hostPort"']) {
      assert.ok(!text.includes(forbidden), `${kind} ${metadata.name} has ${forbidden}`);
    }
  }
}

function named(objects, kind) {
  return objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
}

function one(objects, kind, name) {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
  assert.equal(found.length, 1, `${kind} ${name} in ${named(objects, kind)}`);
  return found[0];
}
