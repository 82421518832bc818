import { document, type Template } from "./template.ts";

type Keys = Readonly<Record<string, Template>>;

export const NAMESPACE = "{{ .Release.Namespace }}";

/** name, fullname, labels and selectorLabels as `helm create` writes them, under the chart's name. */
export function standardNames(chart: string): string {
  return `{{- define "${chart}.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- define "${chart}.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}
{{- define "${chart}.selectorLabels" -}}
app.kubernetes.io/name: {{ include "${chart}.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "${chart}.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "${chart}.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
`;
}

export function namespaced(apiVersion: string, kind: string, name: string, rest: Keys, when?: string): string {
  return document({ apiVersion, kind, metadata: { name, namespace: NAMESPACE }, ...rest }, when);
}

export function clusterWide(apiVersion: string, kind: string, name: string, rest: Keys, when?: string): string {
  return document({ apiVersion, kind, metadata: { name }, ...rest }, when);
}

export const serviceAccount = (name: string, when?: string) => namespaced("v1", "ServiceAccount", name, {}, when);

/** "get,list pods,nodes": verbs, then resources; of a group "apps: get deployments". */
function rule(text: string): Keys {
  const [, group = "", verbs = "", resources = ""] = /^(?:([\w.*-]+): )?(\S+) (\S+)$/.exec(text) ?? [];
  return { apiGroups: [group], resources: resources.split(","), verbs: verbs.split(",") };
}

const RBAC = "rbac.authorization.k8s.io";

/** What an account may do everywhere. */
export function clusterAccess(name: string, account: string, rules: readonly string[], when?: string): string {
  return [
    clusterWide(`${RBAC}/v1`, "ClusterRole", name, { rules: rules.map(rule) }, when),
    clusterBinding(name, name, [account], when),
  ].join("");
}

export function clusterBinding(name: string, role: string, accounts: readonly string[], when?: string): string {
  const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name: role };
  const subjects = accounts.map((account) => ({ kind: "ServiceAccount", name: account, namespace: NAMESPACE }));
  return clusterWide(`${RBAC}/v1`, "ClusterRoleBinding", name, { roleRef, subjects }, when);
}

/** What an account may do in one namespace: the release's own unless another is named. */
export function access(
  name: string,
  account: string,
  rules: readonly string[],
  namespace = NAMESPACE,
  annotations?: Keys,
): string {
  const metadata = { name, namespace, ...(annotations && { annotations }) };
  const subjects = [{ kind: "ServiceAccount", name: account, namespace: NAMESPACE }];
  return [
    document({ apiVersion: `${RBAC}/v1`, kind: "Role", metadata, rules: rules.map(rule) }),
    document({
      apiVersion: `${RBAC}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: RBAC, kind: "Role", name },
      subjects,
    }),
  ].join("");
}

export interface Port {
  name: string;
  port: number;
  target?: string | number;
}

export function service(name: string, selector: Template, ports: readonly Port[], when?: string): string {
  const spec = {
    type: "ClusterIP",
    selector,
    ports: ports.map(({ name: its, port, target }) => ({ name: its, port, protocol: "TCP", targetPort: target ?? its })),
  };
  return namespaced("v1", "Service", name, { spec }, when);
}

/** As the PodSecurity standard "restricted" asks a container to be. */
export const RESTRICTED: Keys = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Variables that a pod has of itself. */
export const ownNamespace = (name: string): Keys => ({ name, valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } });
export const ownNode = (name: string): Keys => ({ name, valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } });

/** repository and tag of the values at a path; the chart's own version where the tag is empty. */
export const imageOf = (path: string) => `{{ ${path}.repository }}:{{ ${path}.tag | default .Chart.AppVersion }}`;
