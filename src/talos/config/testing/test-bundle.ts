import { Secret } from "@talosmith/lib/secret.ts";
import type { SecretsBundle } from "../../secrets/bundle.ts";
import { printSecrets } from "../../secrets/print.ts";
import type { ClusterInput } from "../cluster-input.ts";

/** A cluster whose secrets are no secrets: a generator of machine configs does not look into keys, so these are words. */
export function testBundle(): { input: Omit<ClusterInput, "contract">; secretsYaml: string } {
  const secret = (what: string) => new Secret(`for tests only: ${what}\n`);
  const authority = (what: string) => ({
    certificate: `for tests only: certificate of ${what}\n`,
    key: secret(`key of ${what}`),
  });
  const bytes = (what: string) => new Secret(Buffer.from(`${what} of tests`.padEnd(32, ".")).toString("base64"));
  const secrets: SecretsBundle = {
    cluster: { id: bytes("id").reveal(), secret: bytes("secret") },
    secrets: {
      bootstrapToken: new Secret("tests0.fortestsonly0000"),
      encryption: { kind: "secretbox", value: bytes("secretbox") },
    },
    trustdInfo: { token: new Secret("tests1.fortestsonly1111") },
    certs: {
      etcd: authority("etcd"),
      k8s: authority("kubernetes"),
      k8sAggregator: authority("the aggregator"),
      k8sServiceAccount: { key: secret("key of service accounts") },
      os: authority("talos"),
    },
  };
  const input: Omit<ClusterInput, "contract"> = {
    name: "homelab",
    endpoint: "10.10.0.5",
    kubernetes: "v1.35.4",
    cni: "cilium",
    scheduleOnControlPlanes: true,
    podSubnets: ["10.244.0.0/16"],
    serviceSubnets: ["10.96.0.0/12"],
    dnsDomain: "cluster.local",
    certSANs: [],
    kubeletCertificates: false,
    externalCloudProvider: false,
    discovery: true,
    kubespan: false,
    network: { cidr: "10.10.0.0/24", timeServers: [] },
    nodes: [],
    registries: [],
    secrets,
    installerImage:
      "factory.talos.dev/nocloud-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.12.11",
    installDisk: "/dev/sda",
  };
  return { input, secretsYaml: printSecrets(secrets) };
}
