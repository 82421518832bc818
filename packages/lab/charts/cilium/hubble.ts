/** Hubble's relay and its web page, each on request. */
export const HUBBLE = `{{- if and .Values.hubble.enabled .Values.hubble.relay.enabled }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: hubble-relay
  namespace: {{ .Release.Namespace }}
---
apiVersion: v1
kind: Service
metadata:
  name: hubble-relay
  namespace: {{ .Release.Namespace }}
  labels:
    k8s-app: hubble-relay
spec:
  type: ClusterIP
  selector:
    k8s-app: hubble-relay
  ports:
    - protocol: TCP
      port: 80
      targetPort: grpc
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: hubble-relay
  namespace: {{ .Release.Namespace }}
  labels:
    k8s-app: hubble-relay
    app.kubernetes.io/part-of: cilium
spec:
  replicas: {{ .Values.hubble.relay.replicas }}
  selector:
    matchLabels:
      k8s-app: hubble-relay
  template:
    metadata:
      labels:
        k8s-app: hubble-relay
        app.kubernetes.io/part-of: cilium
    spec:
      serviceAccountName: hubble-relay
      nodeSelector:
        kubernetes.io/os: linux
      {{- with .Values.hubble.relay.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: hubble-relay
          image: "{{ .Values.hubble.relay.image.repository }}:{{ .Values.hubble.relay.image.tag }}"
          imagePullPolicy: {{ .Values.hubble.relay.image.pullPolicy }}
          command: [hubble-relay]
          args: [serve]
          ports:
            - name: grpc
              containerPort: 4245
          {{- if .Values.hubble.tls.enabled }}
          volumeMounts:
            - name: tls
              mountPath: /var/lib/hubble-relay/tls
              readOnly: true
      volumes:
        - name: tls
          projected:
            sources:
              - secret:
                  name: hubble-relay-client-certs
                  items:
                    - key: tls.crt
                      path: client.crt
                    - key: tls.key
                      path: client.key
          {{- end }}
{{- end }}
{{- if and .Values.hubble.enabled .Values.hubble.ui.enabled }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: hubble-ui
  namespace: {{ .Release.Namespace }}
---
apiVersion: v1
kind: Service
metadata:
  name: hubble-ui
  namespace: {{ .Release.Namespace }}
  labels:
    k8s-app: hubble-ui
spec:
  type: ClusterIP
  selector:
    k8s-app: hubble-ui
  ports:
    - name: http
      port: 80
      targetPort: 8081
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: hubble-ui
  namespace: {{ .Release.Namespace }}
  labels:
    k8s-app: hubble-ui
    app.kubernetes.io/part-of: cilium
spec:
  replicas: {{ .Values.hubble.ui.replicas }}
  selector:
    matchLabels:
      k8s-app: hubble-ui
  template:
    metadata:
      labels:
        k8s-app: hubble-ui
        app.kubernetes.io/part-of: cilium
    spec:
      serviceAccountName: hubble-ui
      nodeSelector:
        kubernetes.io/os: linux
      {{- with .Values.hubble.ui.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: frontend
          image: "{{ .Values.hubble.ui.frontend.image.repository }}:{{ .Values.hubble.ui.frontend.image.tag }}"
          ports:
            - name: http
              containerPort: 8081
        - name: backend
          image: "{{ .Values.hubble.ui.backend.image.repository }}:{{ .Values.hubble.ui.backend.image.tag }}"
          ports:
            - name: grpc
              containerPort: 8090
{{- end }}
`;
