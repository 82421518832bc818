import type { FactsResult, TableResult } from "../engine/result.ts";
import type { Outputs } from "../environment/outputs.ts";

/** The output contract for programs, and for people the same values as a list and a table of the nodes. */
export function outputsResult(outputs: Outputs): FactsResult {
  const facts = (values: Partial<Outputs>) => Object.entries(values).map(([key, value]) => ({ key, label: key, value }));
  const { talos_cluster_endpoint, talos_control_plane_endpoints, talosconfig_path, kubeconfig_path, age_recipient } = outputs;
  const single = {
    ...{ talos_cluster_endpoint, talos_control_plane_endpoints, talosconfig_path, kubeconfig_path },
    ...(age_recipient !== "" && { age_recipient }),
  };
  const part = { kind: "facts", name: "outputs", title: "", next: [] } as const;
  const images = { ...part, title: "installer images", facts: imageFacts(outputs), next: [] };
  return {
    ...part,
    next: [],
    facts: facts(outputs),
    display: [{ ...part, next: [], facts: facts(single) }, nodesTable(outputs), images],
  };
}

function nodesTable({ talos_node_ips, talos_node_roles, talos_vm_ids }: Outputs): TableResult {
  const hasIds = Object.keys(talos_vm_ids).length > 0;
  return {
    kind: "table",
    name: "nodes",
    columns: [
      { key: "name", title: "node" },
      { key: "role", title: "role" },
      { key: "address", title: "address" },
      ...(hasIds ? [{ key: "vmid", title: "VM id", align: "right" as const }] : []),
    ],
    rows: Object.entries(talos_node_ips).map(([name, address]) => {
      return { name, role: talos_node_roles[name] ?? "", address, vmid: talos_vm_ids[name] ?? "" };
    }),
    empty: "no nodes",
    display: { leaveOut: ["role", "vmid"] },
  };
}

/** Each image once, with the names of its nodes. */
function imageFacts({ talos_installer_images }: Outputs): FactsResult["facts"] {
  const nodes = Object.keys(talos_installer_images);
  return [...new Set(Object.values(talos_installer_images))].map((image) => {
    const own = nodes.filter((name) => talos_installer_images[name] === image);
    const label =
      own.length === nodes.length
        ? "all nodes"
        : own.length > 3
          ? `${own.slice(0, 2).join(", ")} and ${own.length - 2} more`
          : own.join(", ");
    return { key: image, label, value: image };
  });
}
