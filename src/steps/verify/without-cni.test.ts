import { beforeEach, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/objects.ts";
import { NODES, ready, VerifyScene, wrongOf } from "./testing/verify-scene.ts";

let scene: VerifyScene;

describe("with cluster.cni none", () => {
  const waiting =
    "cp-1, cp-2, worker-1: NotReady until you install a CNI, because the config has cluster.cni: none; CoreDNS and all other pods wait for it";
  const set = (name: string, conditions: object) => {
    const node = scene.objects.Node?.[name] as KubernetesObject & { status: object };
    scene.patch("Node", name, { status: { ...node.status, ...conditions } });
  };
  const message = "Network plugin returns error: cni plugin not initialized";
  const unready = { conditions: [{ type: "Ready", status: "False", message }] };

  beforeEach(() => {
    scene = new VerifyScene();
    scene.cni = "none";
    for (const { name } of NODES) set(name, unready);
    scene.patch("Pod", "coredns-a", { status: { ...ready(false), phase: "Pending" } });
  });

  /** A kubelet whose request is not approved. */
  const request = () => {
    const spec = { signerName: "kubernetes.io/kubelet-serving", username: "system:node:worker-1" };
    scene.objects.CertificateSigningRequest = {
      a: { apiVersion: "", kind: "CertificateSigningRequest", metadata: { name: "csr-a" }, spec } as object as KubernetesObject,
    };
  };

  test("and no CNI yet, the finding appears once, and checks that need a network are skipped", async () => {
    scene.kubeletCertificates = true;
    request();
    const found = await scene.verify();
    expect(wrongOf(found)).toEqual([`verify/ready warn: ${waiting}`]);
    const left = [...found].flatMap(([id, findings]) => (findings.some(({ code }) => code === "NO_CNI") ? [id] : []));
    expect(left).toEqual(["verify/ready", "verify/coredns", "verify/pods", "verify/kubelet-certificates"]);
  });

  test("an endpoint that may be served from inside the cluster is left out; an address of a node must answer", async () => {
    scene.endpointAnswer = { reason: "connection refused" };
    expect(await scene.wrong()).toEqual([`verify/ready warn: ${waiting}`]);
    scene.endpoint = "10.10.0.11";
    expect((await scene.wrong())[0]).toContain(
      "verify/endpoint fail: the Kubernetes API does not answer at https://10.10.0.11:6443",
    );
  });

  test("and a CNI installed, all checks run", async () => {
    for (const { name } of NODES) set(name, ready(true));
    scene.kubeletCertificates = true;
    request();
    expect(await scene.wrong()).toEqual([
      "verify/coredns fail: coredns: has 1 of 2 pods ready: Pending",
      "verify/kubelet-certificates fail: worker-1: its kubelet waits for its serving certificate to be approved",
    ]);
  });

  test("and a CNI that works elsewhere, a node without network is not well", async () => {
    set("cp-1", ready(true));
    expect(await scene.wrong()).toContain("verify/ready fail: worker-1: is NotReady: cni plugin not initialized");
  });

  test("and a chart that may bring a CNI, nodes must become Ready", async () => {
    scene.addons = [
      { name: "calico", tier: "charts", parts: [{ kind: "release", name: "calico", namespace: "calico" }], path: [] },
    ];
    expect(await scene.wrong()).toContain("verify/ready fail: worker-1: is NotReady: cni plugin not initialized");
  });
});
