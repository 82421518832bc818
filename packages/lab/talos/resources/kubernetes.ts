import { type Called, configOf } from "../api/caller.ts";
import { type MachineConfig, machineConfig, textAt, value } from "../config/machine-config.ts";
import { etcdAnswers } from "../etcd/cluster.ts";
import { networkOf, primaryAddress } from "../machine/network.ts";
import { nodeIp } from "../machine/own-address.ts";
import { isHealthy } from "../machine/services.ts";
import { kubernetesNode } from "../machine/status.ts";
import { talosState } from "../state.ts";
import { minorOf, releaseOf } from "../versions.ts";
import { encodeSpec } from "./encode.ts";
import { layout } from "./layout.ts";
import { yamlOf } from "./print.ts";
import { described, type ResourceSource } from "./resource.ts";
import { nthAddress, podSubnets, serviceSubnets } from "./subnets.ts";

export const STATIC_PODS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];

/** Its YAML contains only the pod's status. */
const POD_STATUS = layout("1 podStatus struct");

const VOLUMES = "{ 1 name text  2 hostPath text  3 mountPath text  4 readonly bool }*";
const RESOURCES = "{ 1 requests map  2 limits map }";

export function controlPlane(called: Called): MachineConfig | undefined {
  const config = configOf(called);
  return config?.role === "controlplane" ? config : undefined;
}

export function image(called: Called, config: MachineConfig, path: string, name: string): string {
  return textAt(config, path) ?? `${name}:${releaseOf(called.boot.system.version).kubernetes}`;
}

export const cniOf = (config: MachineConfig) => textAt(config, "cluster.network.cni.name") ?? "flannel";
export const cloudOf = (config: MachineConfig) =>
  value(config, "cluster.externalCloudProvider.enabled") === true ? "external" : "";

export const dnsAddress = (cidr: string) => nthAddress(cidr, 10);

/** Resources about Kubernetes on a node. */
export const kubernetesSources: readonly ResourceSource[] = [
  described(
    "Nodenames.kubernetes.talos.dev",
    "k8s.NodenameController",
    "1 nodename text  2 hostnameVersion text  3 skipNodeRegistration bool",
    (called) => (configOf(called) ? [["nodename", { nodename: networkOf(called.machine).hostname, hostnameVersion: "1" }]] : []),
  ),
  described("NodeIPs.kubernetes.talos.dev", "k8s.NodeIPController", "1 addresses ip*", (called) =>
    configOf(called) ? [["kubelet", { addresses: [nodeIp(called.machine) ?? ""].filter((one) => one !== "") }]] : [],
  ),
  described(
    "NodeStatuses.kubernetes.talos.dev",
    "k8s.NodeStatusController",
    "1 nodename text  2 nodeReady bool  3 unschedulable bool  4 labels map  5 annotations map  6 podCIDRs prefix*",
    (called) => {
      const config = configOf(called);
      if (!config || !isHealthy(called.boot, "kubelet") || called.boot.stage !== "running") return [];
      const { hostname: nodename } = networkOf(called.machine);
      const seen = kubernetesNode(called.lab, config.clusterId, nodename);
      const { ready = true, unschedulable = false, labels = {}, annotations = {}, podCIDRs = [] } = seen ?? {};
      return [[nodename, { nodename, nodeReady: ready, unschedulable, labels, annotations, podCIDRs: [...podCIDRs] }]];
    },
  ),
  {
    type: "StaticPodStatuses.kubernetes.talos.dev",
    owner: "k8s.KubeletStaticPodController",
    items: ({ machine, boot }) => {
      if (boot.staticPods !== "running") return [];
      const { hostname } = networkOf(machine);
      const host = primaryAddress(machine) ?? "";
      const at = new Date(Math.floor(boot.since / 1000) * 1000).toISOString().replace(".000", "");
      const types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
      const conditions = types.map((type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: at }));
      const status = { phase: "Running", conditions, hostIP: host, podIP: host, startTime: at, qosClass: "Burstable" };
      const proto = encodeSpec(POD_STATUS, { podStatus: status }, 12);
      return STATIC_PODS.map((name) => ({ id: `kube-system/${name}-${hostname}`, yaml: yamlOf(status), proto }));
    },
  },
  described(
    "KubeletSpecs.kubernetes.talos.dev",
    "k8s.KubeletSpecController",
    "1 image text  2 args? text*  4 expectedNodename? text  5 config struct",
    (called) => {
      const config = configOf(called);
      if (!config) return [];
      const { hostname } = networkOf(called.machine);
      const [dns = "10.96.0.10"] = serviceSubnets(config).map(dnsAddress);
      const args = [
        "--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubeconfig",
        "--config=/etc/kubernetes/kubelet.yaml",
        `--hostname-override=${hostname}`,
        "--kubeconfig=/etc/kubernetes/kubeconfig-kubelet",
        `--node-ip=${nodeIp(called.machine) ?? ""}`,
      ];
      const kubelet = {
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
        clusterDNS: [dns],
        clusterDomain: textAt(config, "cluster.network.dnsDomain") ?? "cluster.local",
        seccompDefault: value(config, "machine.kubelet.defaultRuntimeSeccompProfileEnabled") === true,
      };
      const of = image(called, config, "machine.kubelet.image", "ghcr.io/siderolabs/kubelet");
      return [["kubelet", { image: of, args, expectedNodename: hostname, config: kubelet }]];
    },
  ),
  described(
    "APIServerConfigs.kubernetes.talos.dev",
    "k8s.ControlPlaneAPIServerController",
    `1 image text  2 cloudProvider text  3 controlPlaneEndpoint text  4 etcdServers text*  5 localPort number  6 serviceCIDR text*
     7@12-12 extraArgs map  13@13 extraArgs args  16@14 args? text*  8 extraVolumes ${VOLUMES}  9 environmentVariables map
     11 advertisedAddress text  12 resources ${RESOURCES}  14@14 startupProbesEnabled bool  15@14 useAuthenticationConfig bool`,
    (called) => {
      const config = controlPlane(called);
      if (!config) return [];
      const spec = {
        image: image(called, config, "cluster.apiServer.image", "registry.k8s.io/kube-apiserver"),
        cloudProvider: cloudOf(config),
        controlPlaneEndpoint: config.endpoint,
        etcdServers: ["https://127.0.0.1:2379"],
        localPort: 6443,
        serviceCIDR: serviceSubnets(config),
        extraArgs: extraArgs(called, config, "cluster.apiServer.extraArgs"),
        advertisedAddress: "$(POD_IP)",
      };
      return [["kube-apiserver", spec]];
    },
  ),
  described(
    "ControllerManagerConfigs.kubernetes.talos.dev",
    "k8s.ControlPlaneControllerManagerController",
    `1 enabled bool  2 image text  3 cloudProvider text  4 podCIDRs text*  5 serviceCIDRs text*  6@12-12 extraArgs map
     10@13-13 extraArgs args  10@14 extraArgs? args  11@14 args? text*  7 extraVolumes ${VOLUMES}  8 environmentVariables map
     9 resources ${RESOURCES}  12@14 nodeCIDRMaskSizeIPv4 number  13@14 nodeCIDRMaskSizeIPv6 number`,
    (called) => {
      const config = controlPlane(called);
      if (!config) return [];
      const spec = {
        enabled: true,
        image: image(called, config, "cluster.controllerManager.image", "registry.k8s.io/kube-controller-manager"),
        cloudProvider: cloudOf(config),
        podCIDRs: podSubnets(config),
        serviceCIDRs: serviceSubnets(config),
        extraArgs: extraArgs(called, config, "cluster.controllerManager.extraArgs"),
      };
      return [["kube-controller-manager", spec]];
    },
  ),
  described(
    "SchedulerConfigs.kubernetes.talos.dev",
    "k8s.ControlPlaneSchedulerController",
    `1 enabled bool  2 image text  3@12-12 extraArgs map  8@13-13 extraArgs args  8@14 extraArgs? args  9@14 args? text*
     4 extraVolumes ${VOLUMES}  5 environmentVariables map  6 resources ${RESOURCES}  7 config struct`,
    (called) => {
      const config = controlPlane(called);
      if (!config) return [];
      const of = image(called, config, "cluster.scheduler.image", "registry.k8s.io/kube-scheduler");
      return [
        ["kube-scheduler", { enabled: true, image: of, extraArgs: extraArgs(called, config, "cluster.scheduler.extraArgs") }],
      ];
    },
  ),
  described(
    "BootstrapManifestsConfigs.kubernetes.talos.dev",
    "k8s.ControlPlaneBootstrapManifestsController",
    `1 string text  2 clusterDomain text  3 podCIDRs text*  4 proxyEnabled bool  5 proxyImage text  6 proxyArgs text*
     27@14 proxyConfig struct  29@14 proxyConfigChecksum text  28@14 proxyResources ${RESOURCES}  7 coreDNSEnabled bool  8 coreDNSImage text
     9 dnsServiceIP text  10 dnsServiceIPv6 text  11 flannelEnabled bool  12 flannelImage text  16 flannelExtraArgs text*
     17 flannelKubeServiceHost text  18 flannelKubeServicePort text  19@13 flannelKubeNetworkPoliciesEnabled bool
     20@13 flannelKubeNetworkPoliciesImage text  23@14 flannelBackendType text  24@14 flannelBackendPort number
     22@14 flannelBackendMTU number  26@14 flannelBackendExtraConfig struct  25@14 flannelResources ${RESOURCES}
     14 podSecurityPolicyEnabled bool  15 talosAPIServiceEnabled bool  21@13 cniName text`,
    (called) => {
      const config = controlPlane(called);
      if (!config) return [];
      const dns = serviceSubnets(config).map(dnsAddress);
      const release = releaseOf(called.boot.system.version);
      const spec = {
        string: "https://127.0.0.1:7445",
        clusterDomain: textAt(config, "cluster.network.dnsDomain") ?? "cluster.local",
        podCIDRs: podSubnets(config),
        proxyEnabled: value(config, "cluster.proxy.disabled") !== true,
        proxyImage: textAt(config, "cluster.proxy.image") ?? `registry.k8s.io/kube-proxy:${release.kubernetes}`,
        proxyArgs: [
          `--cluster-cidr=${podSubnets(config).join(",")}`,
          "--hostname-override=$(NODE_NAME)",
          "--proxy-mode=nftables",
        ],
        coreDNSEnabled: value(config, "cluster.coreDNS.disabled") !== true,
        coreDNSImage: textAt(config, "cluster.coreDNS.image") ?? "registry.k8s.io/coredns/coredns:v1.14.2",
        dnsServiceIP: dns.find((address) => !address.includes(":")),
        dnsServiceIPv6: dns.find((address) => address.includes(":")),
        flannelEnabled: cniOf(config) === "flannel",
        flannelImage: "ghcr.io/siderolabs/flannel:v0.28.4",
        flannelKubeServiceHost: "127.0.0.1",
        flannelKubeServicePort: "7445",
        talosAPIServiceEnabled: value(config, "machine.features.kubernetesTalosAPIAccess.enabled") === true,
        cniName: cniOf(config),
      };
      return [["manifests", spec]];
    },
  ),
  described("Endpoints.kubernetes.talos.dev", "k8s.EndpointController", "1 addresses ip*  2 hosts text*", (called) => {
    const config = configOf(called);
    if (!config) return [];
    const planes = Object.values(talosState(called.lab).machines).filter(({ boot }) => {
      const other = boot?.config === undefined ? undefined : machineConfig(boot.config);
      return other?.role === "controlplane" && other.clusterId === config.clusterId;
    });
    const addresses = (found: typeof planes) => found.flatMap((machine) => primaryAddress(machine) ?? []).sort();
    const answering = planes.filter((machine) => etcdAnswers(called.lab, machine) && machine.boot?.staticPods === "running");
    const known = value(config, "cluster.discovery.enabled") === true;
    return [
      ...(answering.length > 0 ? [["kube-apiserver", { addresses: addresses(answering) }] as const] : []),
      ...(known ? [["discovery", { addresses: addresses(planes) }] as const] : []),
    ];
  }),
];

/** In 1.13 an argument can be repeated, so each has a list of values. */
export function extraArgs(called: Called, config: MachineConfig, path: string): Record<string, string | string[]> {
  const given = (value(config, path) ?? {}) as Record<string, string | string[]>;
  if (minorOf(called.boot.system.version) < 13) return given;
  return Object.fromEntries(Object.entries(given).map(([name, one]) => [name, Array.isArray(one) ? one : [one]]));
}
