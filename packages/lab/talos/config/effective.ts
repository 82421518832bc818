import type { Json } from "@talosmith/lib/json.ts";
import { at, type ConfigDocument, documentsOf, type Fields, filled, isFields, list, only, word } from "./values.ts";

const CONTROL_PLANE = "node-role.kubernetes.io/control-plane";

/**
 * The main document with what other documents say about the same subjects, in the places where the main one had them before 1.14: whoever
 * looks there sees what the node goes by, however it was said (docs/facts/talos.md#documents-of-114). The disk of an UnattendedInstallConfig is at machine.install.match.
 */
export function effectiveMain(documents: readonly ConfigDocument[], main: Fields): Fields {
  const overlays = [clusterOverlay(documents, main), componentOverlay(documents, main), machineOverlay(documents, main)];
  return overlays.reduce<Fields>((merged, overlay) => merge(merged, overlay) as Fields, main);
}

type Overlay = { [key: string]: Json | undefined };

function merge(below: Json | undefined, above: Json | Overlay | undefined): Json | undefined {
  if (above === undefined) return below;
  if (!isFields(below) || !isFields(above)) return withoutGaps(above as Json);
  const keys = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return withoutGaps(Object.fromEntries(keys.map((key) => [key, merge(below[key], above[key])])) as Json);
}

function withoutGaps(value: Json): Json {
  if (!isFields(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutGaps(inner)]));
}

/** Certificates and keys are text in the new documents, and base64 of it in the old one. */
function base64(value: Json | undefined): string | undefined {
  return filled(value) ? Buffer.from(word(value)).toString("base64") : undefined;
}

function certificates(fields: Fields | undefined): { ca?: Json; accepted?: Json } {
  const issuing = at(fields, "issuingCA");
  return {
    ...(issuing !== undefined && {
      ca: withoutGaps({ crt: base64(at(issuing, "cert")), key: base64(at(issuing, "key")) } as unknown as Json),
    }),
    ...(fields?.acceptedCAs !== undefined && { accepted: list(fields.acceptedCAs).map((crt) => ({ crt: base64(crt) ?? "" })) }),
  };
}

function clusterOverlay(documents: readonly ConfigDocument[], main: Fields): Overlay {
  const cluster = only(documents, "KubeClusterConfig");
  const identity = only(documents, "DiscoveryIdentityConfig");
  const [discovery] = documentsOf(documents, "DiscoveryServiceConfig");
  const network = only(documents, "KubeNetworkConfig");
  const flannel = only(documents, "KubeFlannelCNIConfig");
  const api = certificates(only(documents, "KubeAPIServerCAConfig"));
  const aggregator = certificates(only(documents, "KubeAggregatorCAConfig"));
  const inline = documentsOf(documents, "KubeInlineManifestConfig");
  const external = documentsOf(documents, "KubeExternalManifestConfig");
  return {
    cluster: {
      clusterName: cluster?.clusterName,
      controlPlane: cluster && { endpoint: cluster.endpoint },
      id: identity?.clusterID,
      secret: identity?.clusterSecret,
      discovery: discovery && { enabled: true, registries: { service: { endpoint: discovery.fields.endpoint } } },
      network: (network || flannel) && {
        dnsDomain: network?.dnsDomain,
        podSubnets: network?.podSubnets,
        serviceSubnets: network?.serviceSubnets,
        cni: at(main, "cluster.network") === undefined ? { name: flannel ? "flannel" : "none" } : undefined,
      },
      ca: api.ca,
      acceptedCAs: api.accepted,
      aggregatorCA: aggregator.ca,
      serviceAccount: keyed(base64(at(only(documents, "KubeServiceAccountConfig"), "issuer.privateKey"))),
      secretboxEncryptionSecret: secretboxIn(only(documents, "KubeEtcdEncryptionConfig")),
      inlineManifests: appended(
        at(main, "cluster.inlineManifests"),
        inline.map(({ name, fields }) => ({ name, contents: word(fields.manifest) })),
      ),
      extraManifests: appended(
        at(main, "cluster.extraManifests"),
        external.map(({ fields }) => word(fields.url)),
      ),
    } as unknown as Json,
  };
}

function keyed(key: string | undefined): Overlay | undefined {
  return key === undefined ? undefined : { key };
}

function appended(before: Json | undefined, more: readonly Json[]): Json | undefined {
  return more.length === 0 ? undefined : [...list(before), ...more];
}

/** The first key of the first provider that has any: key2 of what Talos generates. */
function secretboxIn(fields: Fields | undefined): string | undefined {
  const providers = list(at(fields, "config.resources")).flatMap((resource) => list(at(resource, "providers")));
  const keys = providers.flatMap((provider) => list(at(provider, "secretbox.keys")));
  return keys.map((key) => word(at(key, "secret"))).find((secret) => secret !== "");
}

/** Image, arguments and the like of what runs as a static pod or a daemon set. */
function component(fields: Fields | undefined, more: Overlay = {}): Overlay | undefined {
  if (!fields) return undefined;
  const { image, extraArgs, env, resources } = fields;
  return { image, extraArgs, env, resources, ...more };
}

function componentOverlay(documents: readonly ConfigDocument[], main: Fields): Overlay {
  const fieldsOf = (kind: string) => only(documents, kind);
  const [api, manager, scheduler] = ["KubeAPIServerConfig", "KubeControllerManagerConfig", "KubeSchedulerConfig"].map(fieldsOf);
  const [proxy, dns] = ["KubeProxyConfig", "KubeCoreDNSConfig"].map(fieldsOf);
  const admission = documentsOf(documents, "KubeAdmissionControlConfig").map(({ name, fields }) => ({
    name,
    configuration: fields.configuration ?? {},
  }));
  const audit = fieldsOf("KubeAuditPolicyConfig")?.configuration;
  const disabled = (fields: Fields | undefined) => fields && { disabled: fields.enabled === false };
  return {
    cluster: {
      apiServer:
        api || admission.length > 0 || audit !== undefined
          ? ({
              ...component(api, { certSANs: api?.certExtraSANs }),
              admissionControl: appended(at(main, "cluster.apiServer.admissionControl"), admission),
              auditPolicy: audit,
            } as Overlay)
          : undefined,
      controlPlane: api?.apiPort === undefined ? undefined : { localAPIServerPort: api.apiPort },
      controllerManager: component(manager),
      scheduler: component(scheduler, { config: scheduler?.config }),
      proxy: component(proxy, { ...disabled(proxy), mode: proxy?.mode }),
      coreDNS: dns && { ...disabled(dns), image: dns.image },
    } as unknown as Json,
    machine: {
      controlPlane: (manager || scheduler) && { controllerManager: disabled(manager), scheduler: disabled(scheduler) },
    } as unknown as Json,
  };
}

function machineOverlay(documents: readonly ConfigDocument[], main: Fields): Overlay {
  const kubelet = only(documents, "KubeletConfig");
  const node = only(documents, "KubeNodeConfig");
  const prism = only(documents, "KubePrismConfig");
  const access = only(documents, "KubeTalosAPIAccessConfig");
  const install = only(documents, "UnattendedInstallConfig");
  const hostDns = at(only(documents, "ResolverConfig"), "hostDNS");
  const modules = documentsOf(documents, "KernelModuleConfig").map(({ name, fields }) => ({
    name,
    parameters: fields.parameters ?? [],
  }));
  const params = (kind: string) => documentsOf(documents, kind).map(({ fields }) => fields.params ?? {});
  return {
    machine: {
      kubelet: (kubelet || node) && {
        ...component(kubelet, {
          extraConfig: kubelet?.config,
          clusterDNS: kubelet?.clusterDNS,
          defaultRuntimeSeccompProfileEnabled: kubelet?.defaultRuntimeSeccompProfileEnabled,
        }),
        ...(node && {
          nodeIP: node.nodeIP,
          registerWithFQDN: node.registerWithFQDN,
          skipNodeRegistration: node.skipNodeRegistration,
        }),
      },
      nodeLabels: node?.labels,
      nodeAnnotations: node?.annotations,
      nodeTaints: node?.taints,
      features: {
        kubePrism: prism && { enabled: true, port: prism.port },
        kubernetesTalosAPIAccess: access && { enabled: true, ...access },
        hostDNS: hostDns,
      },
      install: install && {
        image: at(install, "installer.image"),
        wipe: at(install, "provisioning.wipe"),
        match: at(install, "provisioning.diskSelector.match"),
      },
      kernel: modules.length === 0 ? undefined : { modules: appended(at(main, "machine.kernel.modules"), modules) },
      sysctls: together(params("SysctlConfig")),
      sysfs: together(params("SysfsConfig")),
      env: only(documents, "EnvironmentConfig")?.variables,
      network: only(documents, "KubeSpanConfig") && { kubespan: only(documents, "KubeSpanConfig") },
    } as unknown as Json,
    // The document is taken as it is: without the taint, ordinary pods may run on a control plane.
    cluster: node && {
      allowSchedulingOnControlPlanes:
        at(node, "taints") === undefined || !isFields(node.taints) || !(CONTROL_PLANE in node.taints),
    },
  };
}

function together(maps: readonly Json[]): Json | undefined {
  return maps.length === 0 ? undefined : (Object.assign({}, ...maps) as Json);
}
