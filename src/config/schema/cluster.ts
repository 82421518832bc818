import { planned } from "./planned.ts";
import { choice, flag, section, text, type Wrong } from "./value.ts";
import * as words from "./words.ts";

export const cluster = section("The Kubernetes cluster.", {
  name: text({
    about: "Name of the cluster. Every machine is marked with it, so it stays for the cluster's life.",
    example: "homelab",
    pattern: words.NAME,
    check: words.name,
  }),
  endpoint: text({
    about:
      "Where the Kubernetes API is reached: an unused address of network.cidr (it becomes a virtual IP of the control planes), a control plane's address, a load balancer's address or a DNS name.",
    example: "10.10.0.5",
    check: words.addressOrName,
  }),
  vip: text({
    about: "Virtual IP of the control planes, when the endpoint is a DNS name or an address in front of it.",
    example: "10.10.0.5",
    check: words.ipv4,
  }).optional(),
  talos: text({
    about: "Talos release, in full. Lines 1.12, 1.13 and 1.14 are known.",
    example: "v1.13.9",
    pattern: /^v1\.(12|13|14)\.\d+(-(alpha|beta|rc)\.\d+)?$/,
    check: words.version,
  }),
  kubernetes: text({
    about: "Kubernetes release, in full. By default the one this Talos release was tested with.",
    example: "v1.36.3",
    pattern: /^v1\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$/,
    check: words.version,
  }).optional(),
  contract: text({
    about:
      "Talos minor whose config format is written, not newer than talos. Keep it when upgrading. By default the minor of talos, at most v1.13.",
    example: "v1.13",
    pattern: /^v1\.(12|13)$/,
    check: contract,
  }).optional(),
  cni: choice({
    about:
      "Pod network: flannel comes with Talos; cilium replaces kube-proxy too; none leaves it to you, and nodes stay NotReady until then.",
    of: ["cilium", "flannel", "none"],
    byDefault: "flannel",
  }).optional(),
  scheduleOnControlPlanes: flag({
    about: "Whether ordinary workloads may run on control planes. By default only when there are no workers.",
  }).optional(),
  ...planned.cluster,
});

function contract(value: string): Wrong | undefined {
  if (!/^v\d+\.\d+$/.test(value)) return { says: "is no minor version", hint: "write major and minor, such as v1.13" };
  if (value !== "v1.14") return undefined;
  return {
    code: "CONFIG_NOT_YET",
    says: "v1.14 is not available yet in this version",
    hint: "use v1.13, which Talos 1.14 reads too, or remove it",
  };
}
