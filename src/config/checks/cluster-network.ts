import { parseIp } from "@talosmith/lib/ip.ts";
import { find } from "@talosmith/lib/yaml/tree.ts";
import { isVip, ownerOf } from "./endpoint.ts";
import type { Check, Facts } from "./facts.ts";

/** Checks settings of the communication between nodes. */
export const clusterNetwork: Check = (facts, report) => {
  const { draft, families } = facts;
  const { kubespan, discovery } = draft.cluster ?? {};
  // Talos: k8s.StaticEndpointController, k8s.EndpointController. Trustd's certificate has no name of the load balancer either.
  if (discovery === false && isLoadBalancer(facts))
    report.warn(["cluster", "discovery"], {
      message:
        "cluster.discovery is false and cluster.endpoint is a load balancer: nodes learn the control planes' addresses only from Kubernetes, once it answers at the endpoint",
      hint: "until then workers get no certificate and no other control plane joins etcd: make the load balancer forward port 6443 before the first up, or keep discovery on, or use a DNS name with the control planes' addresses as the endpoint",
    });
  if (kubespan === true && discovery === false)
    report.problem(["cluster", "kubespan"], {
      message: "cluster.kubespan needs cluster.discovery, which exchanges the nodes' keys",
      hint: "remove discovery: false, or kubespan",
      on: "key",
    });
  const mtu = draft.network?.mtu;
  if (mtu !== undefined && mtu < 1280 && families.includes(6))
    report.problem(["network", "mtu"], { message: "network.mtu is less than IPv6 needs", hint: "use at least 1280" });
};

/** An address that no node has. A name may lead to the control planes themselves. */
function isLoadBalancer(facts: Facts): boolean {
  const { endpoint, vip } = facts.draft.cluster ?? {};
  const address = parseIp(endpoint ?? "");
  return address !== undefined && endpoint !== vip && !isVip(facts, address) && ownerOf(address, facts) === undefined;
}

/** Checks that `network.ssh` is complete and used. */
export const reach: Check = (facts, report) => {
  const { via, ssh } = facts.draft.network ?? {};
  if (
    via === "ssh" &&
    facts.platform !== undefined &&
    facts.platform.sshHost === undefined &&
    find(report.tree, ["network", "ssh", "host"]) === undefined
  )
    report.problem(
      ["network", ssh === undefined ? "via" : "ssh"],
      {
        message: "network.ssh.host is missing",
        hint: "add under network:\nssh: { host: 192.168.122.70 }",
        remark: "host is missing",
        on: "key",
      },
      "CONFIG_MISSING_KEY",
    );
  if (ssh !== undefined && via !== "ssh")
    report.warn(["network", "ssh"], {
      message: "network.ssh is not used: network.via is direct",
      hint: "set network.via: ssh, or remove network.ssh",
      on: "key",
    });
};
