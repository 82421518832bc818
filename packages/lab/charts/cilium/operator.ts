/** The operator, and the class of gateways it answers for. */
export const OPERATOR = `{{- if .Values.operator.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cilium-operator
  namespace: {{ .Release.Namespace }}
  labels:
    io.cilium/app: operator
    name: cilium-operator
    app.kubernetes.io/part-of: cilium
    app.kubernetes.io/name: cilium-operator
spec:
  replicas: {{ .Values.operator.replicas }}
  selector:
    matchLabels:
      io.cilium/app: operator
      name: cilium-operator
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 50%
  template:
    metadata:
      annotations:
        {{- if .Values.operator.rollOutPods }}
        cilium.io/cilium-configmap-checksum: {{ toYaml .Values | sha256sum | quote }}
        {{- end }}
        prometheus.io/port: "9963"
        {{- with .Values.operator.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      labels:
        io.cilium/app: operator
        name: cilium-operator
        app.kubernetes.io/part-of: cilium
        app.kubernetes.io/name: cilium-operator
    spec:
      hostNetwork: true
      restartPolicy: Always
      serviceAccountName: {{ .Values.serviceAccounts.operator.name | quote }}
      priorityClassName: system-cluster-critical
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - labelSelector:
                matchLabels:
                  io.cilium/app: operator
              topologyKey: kubernetes.io/hostname
      {{- with .Values.operator.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.operator.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: cilium-operator
          image: "{{ .Values.operator.image.repository }}-generic{{ .Values.operator.image.suffix }}:{{ .Values.operator.image.tag }}"
          imagePullPolicy: {{ .Values.operator.image.pullPolicy }}
          command: [cilium-operator-generic]
          args:
            - --config-dir=/tmp/cilium/config-map
            - --debug=$(CILIUM_DEBUG)
          env:
            - name: K8S_NODE_NAME
              valueFrom:
                fieldRef:
                  apiVersion: v1
                  fieldPath: spec.nodeName
            - name: CILIUM_DEBUG
              valueFrom:
                configMapKeyRef:
                  name: cilium-config
                  key: debug
                  optional: true
            {{- if .Values.k8sServiceHost }}
            - name: KUBERNETES_SERVICE_HOST
              value: {{ .Values.k8sServiceHost | quote }}
            {{- end }}
            {{- if .Values.k8sServicePort }}
            - name: KUBERNETES_SERVICE_PORT
              value: {{ .Values.k8sServicePort | quote }}
            {{- end }}
          ports:
            - name: prometheus
              containerPort: 9963
              hostPort: 9963
              protocol: TCP
          readinessProbe:
            httpGet:
              host: "127.0.0.1"
              path: /healthz
              port: 9234
            periodSeconds: 5
          {{- with .Values.operator.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          volumeMounts:
            - name: cilium-config-path
              mountPath: /tmp/cilium/config-map
              readOnly: true
      volumes:
        - name: cilium-config-path
          configMap:
            name: cilium-config
{{- end }}
{{- if .Values.gatewayAPI.enabled }}
{{- $create := .Values.gatewayAPI.gatewayClass.create | toString }}
{{- if or (eq $create "true") (and (eq $create "auto") (.Capabilities.APIVersions.Has "gateway.networking.k8s.io/v1/GatewayClass")) }}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata:
  name: cilium
spec:
  controllerName: io.cilium/gateway-controller
  description: The default Cilium GatewayClass
{{- end }}
{{- end }}
`;
