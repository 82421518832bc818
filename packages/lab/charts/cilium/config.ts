/** cilium-config: what the agent reads, made of the values, so that a changed value can be seen in the cluster. */
export const CONFIG = `{{- /* Settings of agent and operator. */ -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: cilium-config
  namespace: {{ .Release.Namespace }}
data:
  identity-allocation-mode: crd
  cluster-name: {{ .Values.cluster.name | quote }}
  cluster-id: {{ .Values.cluster.id | quote }}
  debug: {{ .Values.debug.enabled | quote }}
  enable-policy: {{ .Values.policyEnforcementMode | quote }}
  enable-ipv4: {{ .Values.ipv4.enabled | quote }}
  enable-ipv6: {{ .Values.ipv6.enabled | quote }}
  ipam: {{ .Values.ipam.mode | quote }}
{{- if eq .Values.ipam.mode "kubernetes" }}
  k8s-require-ipv4-pod-cidr: "true"
{{- end }}
{{- if eq .Values.ipam.mode "cluster-pool" }}
  cluster-pool-ipv4-cidr: {{ join " " .Values.ipam.operator.clusterPoolIPv4PodCIDRList | quote }}
  cluster-pool-ipv4-mask-size: {{ .Values.ipam.operator.clusterPoolIPv4MaskSize | quote }}
{{- end }}
  routing-mode: {{ .Values.routingMode | default "tunnel" | quote }}
{{- if ne (.Values.routingMode | default "tunnel") "native" }}
  tunnel-protocol: {{ .Values.tunnelProtocol | default "vxlan" | quote }}
{{- end }}
{{- if .Values.ipv4NativeRoutingCIDR }}
  ipv4-native-routing-cidr: {{ .Values.ipv4NativeRoutingCIDR | quote }}
{{- end }}
  auto-direct-node-routes: {{ .Values.autoDirectNodeRoutes | quote }}
  kube-proxy-replacement: {{ .Values.kubeProxyReplacement | quote }}
  bpf-lb-algorithm: {{ .Values.loadBalancer.algorithm | quote }}
  bpf-lb-mode: {{ .Values.loadBalancer.mode | quote }}
  bpf-lb-sock: {{ .Values.socketLB.enabled | quote }}
  bpf-lb-external-clusterip: {{ .Values.bpf.lbExternalClusterIP | quote }}
  datapath-mode: {{ .Values.bpf.datapathMode | quote }}
{{- if not (kindIs "invalid" .Values.bpf.masquerade) }}
  enable-bpf-masquerade: {{ .Values.bpf.masquerade | quote }}
{{- end }}
{{- if not (kindIs "invalid" .Values.bpf.hostLegacyRouting) }}
  enable-host-legacy-routing: {{ .Values.bpf.hostLegacyRouting | quote }}
{{- end }}
  cgroup-root: {{ .Values.cgroup.hostRoot | quote }}
  cni-exclusive: {{ .Values.cni.exclusive | quote }}
{{- if .Values.devices }}
  devices: {{ if kindIs "slice" .Values.devices }}{{ join " " .Values.devices | quote }}{{ else }}{{ .Values.devices | quote }}{{ end }}
{{- end }}
{{- if .Values.MTU }}
  mtu: {{ .Values.MTU | quote }}
{{- end }}
  enable-hubble: {{ .Values.hubble.enabled | quote }}
{{- if .Values.hubble.enabled }}
  hubble-listen-address: {{ .Values.hubble.listenAddress | quote }}
{{- end }}
  enable-l2-announcements: {{ .Values.l2announcements.enabled | quote }}
  enable-bgp-control-plane: {{ .Values.bgpControlPlane.enabled | quote }}
{{- if .Values.k8sClientRateLimit.qps }}
  k8s-client-qps: {{ .Values.k8sClientRateLimit.qps | quote }}
  k8s-client-burst: {{ .Values.k8sClientRateLimit.burst | quote }}
{{- end }}
  enable-external-ips: {{ .Values.externalIPs.enabled | quote }}
  enable-bandwidth-manager: {{ .Values.bandwidthManager.enabled | quote }}
  enable-gateway-api: {{ .Values.gatewayAPI.enabled | quote }}
{{- if .Values.gatewayAPI.enabled }}
  enable-gateway-api-alpn: {{ .Values.gatewayAPI.enableAlpn | quote }}
  enable-gateway-api-app-protocol: {{ .Values.gatewayAPI.enableAppProtocol | quote }}
{{- end }}
  enable-ingress-controller: {{ .Values.ingressController.enabled | quote }}
{{- if .Values.encryption.enabled }}
  enable-{{ .Values.encryption.type }}: "true"
{{- end }}
  external-envoy-proxy: {{ .Values.envoy.enabled | quote }}
{{- range $key, $value := .Values.extraConfig }}
  {{ $key }}: {{ $value | quote }}
{{- end }}
`;
