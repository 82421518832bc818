import { expect, test } from "vitest";
import type { Outputs } from "../environment/outputs.ts";
import { factsLines } from "../views/facts-lines.ts";
import { render } from "../views/line.ts";
import { outputsResult } from "./outputs-result.ts";

const IMAGE = "factory.talos.dev/nocloud-installer/3765:v1.13.9";
const outputs: Outputs = {
  talos_control_plane_endpoints: ["10.10.0.11"],
  talos_node_ips: { "cp-1": "10.10.0.11", "worker-1": "10.10.0.21" },
  talos_node_roles: { "cp-1": "controlplane", "worker-1": "worker" },
  talos_vm_ids: { "cp-1": 79468 },
  talos_cluster_endpoint: "https://10.10.0.5:6443",
  talosconfig_path: "/homelab/talosconfig",
  kubeconfig_path: "/homelab/kubeconfig",
  talos_schematics: { "cp-1": "3765", "worker-1": "3765" },
  talos_installer_images: { "cp-1": IMAGE, "worker-1": IMAGE },
  age_recipient: "",
};
const shown = (of: Outputs, columns?: number) => factsLines(outputsResult(of), { columns }).map((row) => render(row, false));

test("programs get every key of the contract, in its order", () => {
  const { facts } = outputsResult(outputs);
  expect(Object.fromEntries(facts.map(({ key, value }) => [key, value]))).toEqual(outputs);
  expect(facts.map(({ key }) => key)).toEqual(Object.keys(outputs));
});

test("people get a list, a table of the nodes and each image once", () => {
  const lines = [
    "  talos_cluster_endpoint          https://10.10.0.5:6443",
    "  talos_control_plane_endpoints   10.10.0.11",
    "  talosconfig_path                /homelab/talosconfig",
    "  kubeconfig_path                 /homelab/kubeconfig",
    "",
    "node       role           address      VM id",
    "cp-1       controlplane   10.10.0.11   79468",
    "worker-1   worker         10.10.0.21",
    "",
    "installer images",
    `  all nodes   ${IMAGE}`,
  ];
  for (const columns of [undefined, 60, 80, 120]) expect([columns, shown(outputs, columns)]).toEqual([columns, lines]);
});

test("another image names its nodes, and a platform without VMs has no column for their ids", () => {
  const other = { ...outputs, talos_vm_ids: {}, talos_installer_images: { "cp-1": IMAGE, "worker-1": "gpu:v1.13.9" } };
  const lines = shown(other);
  expect(lines).toContain("node       role           address");
  expect(lines.slice(-2)).toEqual([`  cp-1       ${IMAGE}`, "  worker-1   gpu:v1.13.9"]);
});
