import type { TestCluster } from "@talosmith/lab/talos/testing/configs.ts";

interface Wrong {
  name: string;
  config: string;
}

/** Configs that every Talos refuses; what it says about them its own code knows. */
export function wrongConfigs(cluster: TestCluster): Wrong[] {
  const plane = (change: Parameters<TestCluster["config"]>[3], more: object[] = []) =>
    cluster.config("controlplane", "cp-1", more, change);
  const worker = (change: Parameters<TestCluster["config"]>[3]) => cluster.config("worker", "worker-1", [], change);
  const document = (kind: string, fields: object) => ({ apiVersion: "v1alpha1", kind, ...fields });
  return [
    { name: "a key nobody knows", config: plane((main) => (main.machine.kubelet.imagee = "x")) },
    { name: "a machine type nobody knows", config: plane((main) => (main.machine.type = "boss")) },
    { name: "a CNI nobody knows", config: plane((main) => (main.cluster.network.cni = { name: "cilium" })) },
    { name: "no endpoint", config: plane((main) => delete main.cluster.controlPlane) },
    { name: "a hostname in two places", config: plane((main) => (main.machine.network.hostname = "x")) },
    { name: "a kind nobody knows", config: plane(() => {}, [document("UnicornConfig", { name: "x" })]) },
    {
      name: "the same document twice",
      config: plane(() => {}, [document("LinkConfig", { name: "eth0" }), document("LinkConfig", { name: "eth0" })]),
    },
    { name: "a hostname and one to be made", config: plane(() => {}).replace(/auto: "?off"?/, "auto: stable") },
    { name: "an authority's key on a worker", config: worker((main) => (main.machine.ca.key = "eA==")) },
    { name: "etcd on a worker", config: worker((main) => (main.cluster.etcd = { image: "x" })) },
    {
      name: "a virtual address on a worker",
      config: worker((main) => (main.machine.network = { interfaces: [{ interface: "eth0", vip: { ip: "10.0.0.5" } }] })),
    },
    { name: "no mapping", config: "- a\n- b\n" },
  ];
}
