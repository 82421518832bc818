/** The agent on every node, and Envoy beside it. */
export const AGENT = `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: cilium
  namespace: {{ .Release.Namespace }}
  labels:
    k8s-app: cilium
    app.kubernetes.io/part-of: cilium
    app.kubernetes.io/name: cilium-agent
spec:
  selector:
    matchLabels:
      k8s-app: cilium
  {{- with .Values.updateStrategy }}
  updateStrategy:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  template:
    metadata:
      annotations:
        kubectl.kubernetes.io/default-container: cilium-agent
        {{- if .Values.rollOutCiliumPods }}
        cilium.io/cilium-configmap-checksum: {{ toYaml .Values | sha256sum | quote }}
        {{- end }}
        {{- with .Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      labels:
        k8s-app: cilium
        app.kubernetes.io/name: cilium-agent
        app.kubernetes.io/part-of: cilium
        {{- with .Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      hostNetwork: true
      serviceAccountName: {{ .Values.serviceAccounts.cilium.name | quote }}
      automountServiceAccountToken: true
      priorityClassName: {{ .Values.priorityClassName | default "system-node-critical" }}
      restartPolicy: Always
      terminationGracePeriodSeconds: 1
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      initContainers:
        - name: config
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          command: [cilium-dbg, build-config]
        {{- if .Values.cgroup.autoMount.enabled }}
        - name: mount-cgroup
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          command: [sh, -ec, "nsenter --cgroup=/hostproc/1/ns/cgroup --mount=/hostproc/1/ns/mnt /opt/cni/bin/cilium-mount"]
          securityContext:
            {{- if .Values.securityContext.privileged }}
            privileged: true
            {{- else }}
            capabilities:
              add:
                {{- toYaml .Values.securityContext.capabilities.mountCgroup | nindent 16 }}
              drop: [ALL]
            {{- end }}
        {{- end }}
        - name: clean-cilium-state
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          command: [/init-container.sh]
          securityContext:
            {{- if .Values.securityContext.privileged }}
            privileged: true
            {{- else }}
            capabilities:
              add:
                {{- toYaml .Values.securityContext.capabilities.cleanCiliumState | nindent 16 }}
              drop: [ALL]
            {{- end }}
        {{- if .Values.cni.install }}
        - name: install-cni-binaries
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          command: [/install-plugin.sh]
          volumeMounts:
            - name: cni-path
              mountPath: /host/opt/cni/bin
        {{- end }}
      containers:
        - name: cilium-agent
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          command: [cilium-agent]
          args:
            - --config-dir=/tmp/cilium/config-map
            {{- range .Values.extraArgs }}
            - {{ . | quote }}
            {{- end }}
          env:
            - name: K8S_NODE_NAME
              valueFrom:
                fieldRef:
                  apiVersion: v1
                  fieldPath: spec.nodeName
            {{- if .Values.k8sServiceHost }}
            - name: KUBERNETES_SERVICE_HOST
              value: {{ .Values.k8sServiceHost | quote }}
            {{- end }}
            {{- if .Values.k8sServicePort }}
            - name: KUBERNETES_SERVICE_PORT
              value: {{ .Values.k8sServicePort | quote }}
            {{- end }}
            {{- with .Values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          readinessProbe:
            httpGet:
              host: "127.0.0.1"
              path: /healthz
              port: 9879
              httpHeaders:
                - name: brief
                  value: "true"
            periodSeconds: 30
          {{- with .Values.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          securityContext:
            {{- if .Values.securityContext.privileged }}
            privileged: true
            {{- else }}
            capabilities:
              add:
                {{- toYaml .Values.securityContext.capabilities.ciliumAgent | nindent 16 }}
              drop: [ALL]
            {{- end }}
          volumeMounts:
            - name: cilium-config-path
              mountPath: /tmp/cilium/config-map
              readOnly: true
            - name: cilium-cgroup
              mountPath: {{ .Values.cgroup.hostRoot }}
      volumes:
        - name: cilium-cgroup
          hostPath:
            path: {{ .Values.cgroup.hostRoot }}
            type: DirectoryOrCreate
        - name: cni-path
          hostPath:
            path: {{ .Values.cni.binPath }}
            type: DirectoryOrCreate
        - name: cilium-config-path
          configMap:
            name: cilium-config
{{- if .Values.envoy.enabled }}
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: cilium-envoy
  namespace: {{ .Release.Namespace }}
  labels:
    k8s-app: cilium-envoy
    app.kubernetes.io/part-of: cilium
    app.kubernetes.io/name: cilium-envoy
spec:
  selector:
    matchLabels:
      k8s-app: cilium-envoy
  updateStrategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 2
  template:
    metadata:
      labels:
        k8s-app: cilium-envoy
        app.kubernetes.io/part-of: cilium
    spec:
      hostNetwork: true
      priorityClassName: system-node-critical
      nodeSelector:
        kubernetes.io/os: linux
      tolerations:
        - operator: Exists
      containers:
        - name: cilium-envoy
          image: "{{ .Values.envoy.image.repository }}:{{ .Values.envoy.image.tag }}"
          imagePullPolicy: {{ .Values.envoy.image.pullPolicy }}
          command: [/usr/bin/cilium-envoy-starter]
          readinessProbe:
            httpGet:
              host: "127.0.0.1"
              path: /healthz
              port: 9878
{{- end }}
`;
