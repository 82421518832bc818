const POD = `
        metadata:
          labels:
            k8s-app: hubble-generate-certs
        spec:
          serviceAccountName: hubble-generate-certs
          restartPolicy: OnFailure
          {{- with .Values.certgen.tolerations }}
          tolerations:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          containers:
            - name: certgen
              image: "{{ .Values.certgen.image.repository }}:{{ .Values.certgen.image.tag }}"
              imagePullPolicy: {{ .Values.certgen.image.pullPolicy }}
              command: [/usr/bin/cilium-certgen]
              args:
                - --ca-generate=true
                - --ca-reuse-secret
                - --ca-secret-namespace={{ .Release.Namespace }}
                - --ca-secret-name=cilium-ca
              env:
                - name: CILIUM_CERTGEN_CONFIG
                  value: |
                    certs:
                      - name: hubble-server-certs
                        namespace: {{ .Release.Namespace }}
                      {{- if .Values.hubble.relay.enabled }}
                      - name: hubble-relay-client-certs
                        namespace: {{ .Release.Namespace }}
                      {{- end }}
              securityContext:
                allowPrivilegeEscalation: false
                capabilities:
                  drop: [ALL]
`;

/**
 * Hubble's certificates, by a Job of the chart that a CronJob repeats, or by Helm itself. What Helm's own functions would make anew at every
 * upgrade is a fixed text here: nothing in the lab reads it.
 */
export const CERTIFICATES = `{{- if and .Values.hubble.enabled .Values.hubble.tls.enabled .Values.hubble.tls.auto.enabled }}
{{- if eq .Values.hubble.tls.auto.method "helm" }}
{{- range $name := list "hubble-server-certs" "hubble-relay-client-certs" }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ $name }}
  namespace: {{ $.Release.Namespace }}
type: kubernetes.io/tls
data:
  ca.crt: {{ "lab" | b64enc }}
  tls.crt: {{ "lab" | b64enc }}
  tls.key: {{ "lab" | b64enc }}
{{- end }}
{{- end }}
{{- if eq .Values.hubble.tls.auto.method "cronJob" }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: hubble-generate-certs
  namespace: {{ .Release.Namespace }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: hubble-generate-certs
  namespace: {{ .Release.Namespace }}
rules:
  - apiGroups: [""]
    resources: [secrets]
    verbs: [create]
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: [hubble-server-certs, hubble-relay-client-certs, cilium-ca]
    verbs: [get, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: hubble-generate-certs
  namespace: {{ .Release.Namespace }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: hubble-generate-certs
subjects:
  - kind: ServiceAccount
    name: hubble-generate-certs
    namespace: {{ .Release.Namespace }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: hubble-generate-certs-{{ toJson .Values.certgen | sha256sum | trunc 10 }}
  namespace: {{ .Release.Namespace }}
  labels:
    k8s-app: hubble-generate-certs
spec:
      template:${POD}---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: hubble-generate-certs
  namespace: {{ .Release.Namespace }}
  labels:
    k8s-app: hubble-generate-certs
spec:
  schedule: {{ .Values.hubble.tls.auto.schedule | quote }}
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:${POD}{{- end }}
{{- end }}
`;
