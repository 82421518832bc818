/** The values that decide something here, with Cilium's names and defaults. */
export function valuesYaml(version: string): string {
  return `# Default values of the lab's Cilium chart.
debug:
  enabled: false
cluster:
  name: default
  id: 0
k8sServiceHost: ""
k8sServicePort: ""
image:
  repository: quay.io/cilium/cilium
  tag: v${version}
  pullPolicy: IfNotPresent
  useDigest: false
updateStrategy:
  type: RollingUpdate
  rollingUpdate:
    maxUnavailable: 2
priorityClassName: ""
podAnnotations: {}
podLabels: {}
tolerations:
  - operator: Exists
nodeSelector:
  kubernetes.io/os: linux
rollOutCiliumPods: false
extraArgs: []
extraEnv: []
extraConfig: {}
ipam:
  mode: cluster-pool
  operator:
    clusterPoolIPv4PodCIDRList: ["10.0.0.0/8"]
    clusterPoolIPv4MaskSize: 24
ipv4:
  enabled: true
ipv6:
  enabled: false
kubeProxyReplacement: "false"
routingMode: ""
tunnelProtocol: ""
autoDirectNodeRoutes: false
ipv4NativeRoutingCIDR: ""
devices: ""
MTU: 0
bpf:
  masquerade: ~
  hostLegacyRouting: ~
  datapathMode: veth
  lbExternalClusterIP: false
cgroup:
  autoMount:
    enabled: true
  hostRoot: /run/cilium/cgroupv2
securityContext:
  privileged: false
  capabilities:
    ciliumAgent: [CHOWN, KILL, NET_ADMIN, NET_RAW, IPC_LOCK, SYS_MODULE, SYS_ADMIN, SYS_RESOURCE, DAC_OVERRIDE, FOWNER, SETGID, SETUID]
    mountCgroup: [SYS_ADMIN, SYS_CHROOT, SYS_PTRACE]
    cleanCiliumState: [NET_ADMIN, SYS_MODULE, SYS_ADMIN, SYS_RESOURCE]
cni:
  exclusive: true
  install: true
  binPath: /opt/cni/bin
  confPath: /etc/cni/net.d
operator:
  enabled: true
  replicas: 2
  image:
    repository: quay.io/cilium/operator
    tag: v${version}
    pullPolicy: IfNotPresent
    suffix: ""
  rollOutPods: false
  tolerations:
    - operator: Exists
  nodeSelector:
    kubernetes.io/os: linux
  podAnnotations: {}
  resources: {}
envoy:
  enabled: true
  image:
    repository: quay.io/cilium/cilium-envoy
    tag: v1.36.6-lab
    pullPolicy: IfNotPresent
hubble:
  enabled: true
  listenAddress: ":4244"
  relay:
    enabled: false
    replicas: 1
    image:
      repository: quay.io/cilium/hubble-relay
      tag: v${version}
      pullPolicy: IfNotPresent
    tolerations: []
  ui:
    enabled: false
    replicas: 1
    frontend:
      image:
        repository: quay.io/cilium/hubble-ui
        tag: v0.13.6
    backend:
      image:
        repository: quay.io/cilium/hubble-ui-backend
        tag: v0.13.6
    tolerations: []
  tls:
    enabled: true
    auto:
      enabled: true
      method: helm
      certValidityDuration: 365
      schedule: "0 0 1 */4 *"
certgen:
  image:
    repository: quay.io/cilium/certgen
    tag: v0.4.11
    pullPolicy: IfNotPresent
  tolerations: []
bgpControlPlane:
  enabled: false
k8sClientRateLimit:
  qps: ~
  burst: ~
gatewayAPI:
  enabled: false
  gatewayClass:
    create: auto
  enableAlpn: false
  enableAppProtocol: false
ingressController:
  enabled: false
l2announcements:
  enabled: false
externalIPs:
  enabled: false
bandwidthManager:
  enabled: false
encryption:
  enabled: false
  type: ipsec
loadBalancer:
  algorithm: random
  mode: snat
socketLB:
  enabled: false
  hostNamespaceOnly: false
policyEnforcementMode: default
prometheus:
  enabled: false
resources: {}
serviceAccounts:
  cilium:
    create: true
    name: cilium
  operator:
    create: true
    name: cilium-operator
`;
}
