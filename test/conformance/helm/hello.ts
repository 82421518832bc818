/** A small chart with something of everything: objects, a definition, a hook, a schema and notes. */
export const HELLO = {
  "Chart.yaml":
    "apiVersion: v2\nname: hello\ndescription: Says hello.\nversion: 1.0.0\nappVersion: 2.0.0\nkeywords: [greeting]\n",
  "values.yaml": "text: hi\nreplicas: 1\nextra: true\nlist: [1, two]\nnested:\n  on: false\n",
  "values.schema.json": `${JSON.stringify({
    type: "object",
    properties: { text: { type: "string" }, replicas: { type: "integer" } },
  })}\n`,
  "crds/greetings.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: greetings.example.org
spec:
  group: example.org
  names: { kind: Greeting, listKind: GreetingList, plural: greetings, singular: greeting }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`,
  "templates/_helpers.tpl": `{{- define "hello.labels" -}}
app: hello
release: {{ .Release.Name }}
{{- end }}
`,
  "templates/all.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  labels:
    {{- include "hello.labels" . | nindent 4 }}
data:
  text: {{ .Values.text | quote }}
  list: {{ toJson .Values.list | quote }}
  revision: {{ .Release.Revision | quote }}
{{- if .Values.extra }}
---
apiVersion: example.org/v1
kind: Greeting
metadata:
  name: {{ .Release.Name }}
spec:
  text: {{ .Values.text }}
{{- end }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      release: {{ .Release.Name }}
  template:
    metadata:
      labels:
        {{- include "hello.labels" . | nindent 8 }}
    spec:
      containers:
        - name: c
          image: nginx
`,
  "templates/hook.yaml": `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-before
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: "-5"
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: c
          image: busybox
          command: [sh, -c, "echo before"]
`,
  "templates/NOTES.txt": "Hello from {{ .Release.Name }}: {{ .Values.text }}\n",
} as const;
