import ipaddr from "ipaddr.js";
import { configOf } from "../api/caller.ts";
import { nodeIdentity } from "../api/certificates.ts";
import { type MachineConfig, machineConfig, pair, textAt, textsAt, value } from "../config/machine-config.ts";
import { at, list, word } from "../config/validate.ts";
import { addressesOf, networkOf } from "../machine/network.ts";
import { type Described, described, type ResourceSource } from "./resource.ts";
import { nthAddress, serviceSubnets } from "./subnets.ts";

const decoded = (text: string) => Buffer.from(text, "base64").toString();

/** A key with Talos's PEM label (docs/facts/talos.md#pem-labels). */
function keyAt(config: MachineConfig, path: string): string {
  return decoded(textAt(config, path) ?? "");
}

function authority(config: MachineConfig, path: string) {
  return { crt: pair(config, path).certificate, key: keyAt(config, `${path}.key`) };
}

function accepted(config: MachineConfig, path: string): { crt: string }[] {
  const listed = list(value(config, path)).map((one) => ({ crt: decoded(word(at(one, "crt") ?? "")) }));
  const own = pair(config, path.replace("acceptedCAs", "ca")).certificate;
  return [...(own === "" ? [] : [{ crt: own }]), ...listed];
}

function osRoot(config: MachineConfig) {
  const names = textsAt(config, "machine.certSANs");
  const issuing = authority(config, "machine.ca");
  return {
    ...(issuing.key !== "" && { issuingCA: issuing }),
    acceptedCAs: accepted(config, "machine.acceptedCAs"),
    certSANIPs: names.filter((name) => ipaddr.isValid(name)),
    certSANDNSNames: names.filter((name) => !ipaddr.isValid(name)),
    token: config.token,
  };
}

function kubernetesRoot(config: MachineConfig) {
  const [id = "", secret = ""] = (textAt(config, "cluster.token") ?? "").split(".");
  const host = new URL(config.endpoint).hostname;
  return {
    name: config.clusterName,
    endpoint: config.endpoint,
    local_endpoint: "https://localhost:6443",
    certSANs: [...new Set([...textsAt(config, "cluster.apiServer.certSANs"), host])],
    apiServerIPs: serviceSubnets(config).map((cidr) => nthAddress(cidr, 1)),
    dnsDomain: textAt(config, "cluster.network.dnsDomain") ?? "cluster.local",
    issuingCA: authority(config, "cluster.ca"),
    acceptedCAs: accepted(config, "cluster.acceptedCAs"),
    aggregatorCA: authority(config, "cluster.aggregatorCA"),
    serviceAccount: { key: keyAt(config, "cluster.serviceAccount.key") },
    aesCBCEncryptionSecret: textAt(config, "cluster.aescbcEncryptionSecret"),
    bootstrapTokenID: id,
    bootstrapTokenSecret: secret,
    secretboxEncryptionSecret: textAt(config, "cluster.secretboxEncryptionSecret"),
  };
}

const sorted = (texts: readonly string[]) => [...new Set(texts)].sort();

/** The names and addresses in the API server's certificate. */
function kubernetesNames(config: MachineConfig, hostname: string, own: readonly string[]): Described {
  const { certSANs, apiServerIPs, dnsDomain } = kubernetesRoot(config);
  const service = ["", ".default", ".default.svc", `.default.svc.${dnsDomain}`].map((rest) => `kubernetes${rest}`);
  const names = [...certSANs, ...service, "localhost", hostname];
  const ips = sorted([...names.filter((name) => ipaddr.isValid(name)), ...apiServerIPs, ...own]);
  const dnsNames = sorted(names.filter((name) => !ipaddr.isValid(name)));
  return ["k8s", { ips, dnsNames, fqdn: "" }, { owner: "secrets.KubernetesCertSANsController" }];
}

/** Resources for administrators only: the authorities that `rotate-ca` reads first (docs/facts/talos.md#rotating-authorities). */
export const secretSources: readonly ResourceSource[] = [
  described(
    "ApiCertificates.secrets.talos.dev",
    "secrets.APIController",
    "4 acceptedCAs certificate*  2 client pair  3 server pair  5@13 skipVerifyingClientCert bool",
    ({ lab, machine, boot }) => {
      const config = boot.config === undefined ? undefined : machineConfig(boot.config);
      const server = config && nodeIdentity(lab, machine, boot, config);
      if (!config || !server) return [];
      const own = { crt: server.certificate, key: server.key };
      return [["api", { acceptedCAs: accepted(config, "machine.acceptedCAs"), client: own, server: own }]];
    },
  ),
  described(
    "CertSANs.secrets.talos.dev",
    "secrets.APICertSANsController",
    "1 ips ip*  2 dnsNames text*  3 fqdn text",
    (called) => {
      const config = configOf(called);
      const { hostname } = networkOf(called.machine);
      if (!config) return [];
      const { certSANIPs, certSANDNSNames } = osRoot(config);
      const own = [...addressesOf(called.machine), "127.0.0.1"];
      return [
        ["api", { ips: sorted([...certSANIPs, ...own]), dnsNames: sorted([...certSANDNSNames, hostname]), fqdn: hostname }],
        ...(config.role === "controlplane" ? [kubernetesNames(config, hostname, own)] : []),
        [
          "maintenance",
          { ips: [...sorted(own), "::1"], dnsNames: [hostname], fqdn: "maintenance-service.talos.dev" },
          { owner: "secrets.MaintenanceCertSANsController" },
        ],
      ];
    },
  ),
  described(
    "OSRootSecrets.secrets.talos.dev",
    "secrets.RootOSController",
    "1 issuingCA pair  5 acceptedCAs certificate*  2 certSANIPs ip*  3 certSANDNSNames text*  4 token text",
    (called) => {
      const config = configOf(called);
      return config ? [["os", osRoot(config)]] : [];
    },
  ),
  described(
    "KubernetesRootSecrets.secrets.talos.dev",
    "secrets.RootKubernetesController",
    `1 name text  2 endpoint url  3 local_endpoint url  4 certSANs text*  14 apiServerIPs ip*  6 dnsDomain text  7 issuingCA pair
     15 acceptedCAs certificate*  9 aggregatorCA pair  17@14 acceptedAggregatorCAs certificate*  8 serviceAccount key
     18@14 serviceAccountAcceptedKeys key*  19@14 issuerURL text  20@14 acceptedIssuers text*  21@14 apiAudiences text*
     10 aesCBCEncryptionSecret text  11 bootstrapTokenID text  12 bootstrapTokenSecret text  13 secretboxEncryptionSecret text
     16@14 etcdEncryptionConfig struct`,
    (called) => {
      const config = configOf(called);
      return config?.role === "controlplane" ? [["k8s", kubernetesRoot(config)]] : [];
    },
  ),
];
