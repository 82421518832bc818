import type { LabChart } from "./chart.ts";
import { type Definition, definitions } from "./definitions.ts";
import { clusterAccess, clusterBinding, NAMESPACE, namespaced, ownNamespace, RESTRICTED, serviceAccount } from "./parts.ts";
import { document, only, type Template, tree, wholeTree } from "./template.ts";

const ref = { name: "string!" };

const kind = (group: string, name: string, more: Partial<Definition> = {}): Definition => ({
  group: `${group}.toolkit.fluxcd.io`,
  kind: name,
  labels: { "app.kubernetes.io/component": `${group}-controller`, "app.kubernetes.io/part-of": "flux" },
  ...more,
});

const GIT_REPOSITORY: Definition["spec"] = {
  url: "string!",
  interval: "string!",
  ref: { branch: "string", tag: "string", semver: "string", name: "string", commit: "string" },
  secretRef: ref,
  provider: "string",
  timeout: "string",
  ignore: "string",
  suspend: "boolean",
  recurseSubmodules: "boolean",
  sparseCheckout: ["string"],
  verify: "any",
  proxySecretRef: ref,
  serviceAccountName: "string",
};

const KUSTOMIZATION: Definition["spec"] = {
  interval: "string!",
  prune: "boolean!",
  deletionPolicy: "string",
  "sourceRef!": { apiVersion: "string", kind: "string!", name: "string!", namespace: "string" },
  path: "string",
  decryption: { provider: "string!", secretRef: ref, serviceAccountName: "string" },
  dependsOn: ["any"],
  timeout: "string",
  retryInterval: "string",
  wait: "boolean",
  force: "boolean",
  suspend: "boolean",
  targetNamespace: "string",
  namePrefix: "string",
  serviceAccountName: "string",
  postBuild: "any",
  patches: ["any"],
  images: ["any"],
  components: ["string"],
  healthChecks: ["any"],
  commonMetadata: "any",
  kubeConfig: "any",
};

interface Controller {
  name: string;
  values: string;
  tag: string;
  kinds: readonly Definition[];
  args?: readonly string[];
  service?: true;
}

const CONTROLLERS: readonly Controller[] = [
  {
    name: "source-controller",
    values: "sourceController",
    tag: "v1.8.2",
    service: true,
    kinds: [
      kind("source", "Bucket"),
      kind("source", "GitRepository", { plural: "gitrepositories", short: ["gitrepo"], spec: GIT_REPOSITORY }),
      kind("source", "HelmChart", { short: ["hc"] }),
      kind("source", "HelmRepository", { plural: "helmrepositories", short: ["helmrepo"] }),
      kind("source", "OCIRepository", { plural: "ocirepositories", short: ["ocirepo"] }),
    ],
    args: ["--storage-path=/data", "--storage-adv-addr=source-controller.$(RUNTIME_NAMESPACE).svc.{{ .Values.clusterDomain }}."],
  },
  {
    name: "kustomize-controller",
    values: "kustomizeController",
    tag: "v1.8.3",
    kinds: [kind("kustomize", "Kustomization", { short: ["ks"], spec: KUSTOMIZATION })],
  },
  {
    name: "helm-controller",
    values: "helmController",
    tag: "v1.5.3",
    kinds: [kind("helm", "HelmRelease", { versions: ["v2"], short: ["hr"] })],
  },
  {
    name: "notification-controller",
    values: "notificationController",
    tag: "v1.8.3",
    service: true,
    kinds: [
      kind("notification", "Alert", { versions: ["v1beta3"] }),
      kind("notification", "Provider", { versions: ["v1beta3"] }),
      kind("notification", "Receiver"),
    ],
  },
  {
    name: "image-automation-controller",
    values: "imageAutomationController",
    tag: "v1.1.1",
    kinds: [kind("image", "ImageUpdateAutomation", { short: ["iua"] })],
  },
  {
    name: "image-reflector-controller",
    values: "imageReflectionController",
    tag: "v1.1.1",
    kinds: [
      kind("image", "ImagePolicy", { plural: "imagepolicies", short: ["imgpol"] }),
      kind("image", "ImageRepository", { plural: "imagerepositories", short: ["imgrepo"] }),
    ],
  },
];

const PART_OF = { "app.kubernetes.io/part-of": "flux", "app.kubernetes.io/instance": NAMESPACE };

function controller({ name, values, args = [], service }: Controller): string {
  const at = `.Values.${values}`;
  const labels = { app: name };
  const events = "--events-addr=http://notification-controller.$(RUNTIME_NAMESPACE).svc.{{ .Values.clusterDomain }}.";
  return [
    `{{- if ${at}.create }}\n`,
    serviceAccount(name),
    namespaced("apps/v1", "Deployment", name, {
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: tree(`${at}.annotations`) },
          spec: {
            serviceAccountName: name,
            priorityClassName: only(`${at}.priorityClassName`, `{{ ${at}.priorityClassName }}`),
            terminationGracePeriodSeconds: 10,
            securityContext: { fsGroup: 1337 },
            containers: [
              {
                name: "manager",
                image: `{{ ${at}.image }}:{{ ${at}.tag }}`,
                args: [
                  ...(name === "notification-controller" ? [] : [events]),
                  "--watch-all-namespaces={{ .Values.watchAllNamespaces }}",
                  "--log-level={{ .Values.logLevel }}",
                  "--log-encoding=json",
                  "--enable-leader-election",
                  ...args,
                ],
                env: [ownNamespace("RUNTIME_NAMESPACE")],
                ports: [
                  { name: "http", containerPort: 9090, protocol: "TCP" },
                  { name: "healthz", containerPort: 9440, protocol: "TCP" },
                ],
                readinessProbe: { httpGet: { path: "/readyz", port: "healthz" } },
                resources: wholeTree(`${at}.resources`),
                securityContext: RESTRICTED,
                volumeMounts: [{ name: "temp", mountPath: "/tmp" }],
              },
            ],
            volumes: [{ name: "temp", emptyDir: {} }],
            nodeSelector: tree(`${at}.nodeSelector`),
            tolerations: tree(`${at}.tolerations`),
          },
        },
      },
    }),
    service
      ? namespaced("v1", "Service", name, {
          spec: { type: "ClusterIP", selector: labels, ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: "http" }] },
        })
      : "",
    "{{- end }}\n",
  ].join("");
}

const HOOK: Readonly<Record<string, Template>> = {
  "helm.sh/hook": "pre-install",
  "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded,hook-failed",
};

const CHECK = [
  document({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: {
      name: "{{ .Release.Name }}-flux-check",
      namespace: NAMESPACE,
      annotations: { ...HOOK, "helm.sh/hook-weight": "-10" },
    },
  }),
  document({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "{{ .Release.Name }}-flux-check",
      namespace: NAMESPACE,
      annotations: { ...HOOK, "helm.sh/hook-weight": "-5" },
    },
    spec: {
      backoffLimit: 1,
      template: {
        metadata: { name: "{{ .Release.Name }}" },
        spec: {
          restartPolicy: "Never",
          serviceAccountName: "{{ .Release.Name }}-flux-check",
          containers: [
            {
              name: "flux-cli",
              image: "{{ .Values.cli.image }}:{{ .Values.cli.tag }}",
              command: ["/usr/local/bin/flux", "check", "--pre", "--namespace", NAMESPACE],
              securityContext: RESTRICTED,
            },
          ],
        },
      },
    },
  }),
].join("");

/** fluxcd-community/helm-charts, charts/flux2. */
export const flux2: LabChart = {
  name: "flux2",
  description: "A Helm chart for flux2",
  homes: ["oci://ghcr.io/fluxcd-community/charts", "https://fluxcd-community.github.io/helm-charts"],
  versions: [{ version: "2.18.3", app: "2.8.5" }],
  values: ({ app }) => ({
    installCRDs: true,
    multitenancy: { enabled: false, privileged: true },
    clusterDomain: "cluster.local",
    watchAllNamespaces: true,
    logLevel: "info",
    cli: { image: "ghcr.io/fluxcd/flux-cli", tag: `v${app}` },
    rbac: { create: true },
    policies: { create: true },
    ...Object.fromEntries(
      CONTROLLERS.map(({ name, values, tag }) => [
        values,
        {
          create: true,
          image: `ghcr.io/fluxcd/${name}`,
          tag,
          resources: { limits: {}, requests: { cpu: "100m", memory: "64Mi" } },
          priorityClassName: "",
          annotations: { "prometheus.io/port": "8080", "prometheus.io/scrape": "true" },
          nodeSelector: {},
          tolerations: [],
        },
      ]),
    ),
  }),
  files: () => ({
    "templates/rbac.yaml": [
      clusterBinding(
        "cluster-reconciler",
        "cluster-admin",
        ["kustomize-controller", "helm-controller"],
        ".Values.multitenancy.privileged",
      ),
      clusterAccess("crd-controller", "source-controller", [
        ...["source", "kustomize", "helm", "notification", "image"].map((group) => `${group}.toolkit.fluxcd.io: * *`),
        "get,list,watch secrets,configmaps,serviceaccounts,namespaces",
        "create,patch events",
        "coordination.k8s.io: get,list,watch,create,update,patch,delete leases",
      ]),
      clusterBinding(
        "crd-controllers",
        "crd-controller",
        CONTROLLERS.map(({ name }) => name).filter((name) => name !== "source-controller"),
      ),
    ].join(""),
    ...Object.fromEntries(CONTROLLERS.map((one) => [`templates/${one.name}.yaml`, controller(one)])),
    ...Object.fromEntries(
      CONTROLLERS.map(({ name, values, kinds }) => [
        `templates/${name}.crds.yaml`,
        `{{- if and .Values.installCRDs .Values.${values}.create }}\n${definitions(kinds)}{{- end }}\n`,
      ]),
    ),
    "templates/pre-install-job.yaml": CHECK,
    "templates/policies.yaml": document(
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "allow-egress", namespace: NAMESPACE, labels: PART_OF },
        spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"], egress: [{}], ingress: [{ from: [{ podSelector: {} }] }] },
      },
      ".Values.policies.create",
    ),
  }),
};
