import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import { stringify } from "yaml";
import { releaseOf } from "../versions.ts";

const TIMES = { notBefore: new Date("2025-01-01T00:00:00Z"), notAfter: new Date("2040-01-01T00:00:00Z") };

export interface Authority {
  certificate: string;
  key: KeyObject;
}

function authority(organization: string | undefined, key: KeyObject): Authority {
  const certificate = createCertificate({
    subject: organization === undefined ? {} : { organizations: [organization] },
    publicKey: createPublicKey(key),
    issuer: { key },
    serial: randomBytes(16),
    ...TIMES,
    ca: {},
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth", "clientAuth"],
    subjectKeyId: randomBytes(20),
  });
  return { certificate, key };
}

const p256 = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** The secrets of a cluster for one test. */
export class TestCluster {
  readonly os = authority("talos", generateKeyPairSync("ed25519").privateKey);
  readonly kubernetes = authority("kubernetes", p256());
  readonly etcd = authority("etcd", p256());
  readonly aggregator = authority(undefined, p256());
  readonly serviceAccount = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  readonly id = randomBytes(32).toString("base64url");
  readonly secret = randomBytes(32).toString("base64");

  constructor(
    readonly name: string,
    readonly endpoint: string,
    /** The Talos version of its machines, which determines the supported Kubernetes versions. */
    readonly talos = "v1.13.9",
  ) {}

  /** A config as in docs/facts/talos.md#generated-configuration; `more` are additional documents, `change` modifies the main one. */
  config(
    role: "controlplane" | "worker",
    hostname: string,
    more: readonly object[] = [],
    change: (main: Main) => void = () => {},
  ): string {
    const withKey = role === "controlplane";
    const { kubernetes } = releaseOf(this.talos);
    const main: Main = {
      version: "v1alpha1",
      debug: false,
      persist: true,
      machine: {
        type: role,
        token: "abcdef.0123456789abcdef",
        ca: this.#pair(this.os, withKey, "ED25519 PRIVATE KEY"),
        certSANs: [],
        kubelet: { image: `ghcr.io/siderolabs/kubelet:${kubernetes}` },
        network: {},
        install: {
          disk: "/dev/sda",
          image: `factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:${this.talos}`,
          wipe: false,
          grubUseUKICmdline: true,
        },
        features: {
          diskQuotaSupport: true,
          kubePrism: { enabled: true, port: 7445 },
          hostDNS: { enabled: true, forwardKubeDNSToHost: true },
        },
        ...(withKey && { nodeLabels: { "node.kubernetes.io/exclude-from-external-load-balancers": "" } }),
      },
      cluster: {
        id: this.id,
        secret: this.secret,
        controlPlane: { endpoint: this.endpoint },
        clusterName: this.name,
        network: { dnsDomain: "cluster.local", podSubnets: ["10.244.0.0/16"], serviceSubnets: ["10.96.0.0/12"] },
        token: "fedcba.fedcba9876543210",
        ca: this.#pair(this.kubernetes, withKey, "EC PRIVATE KEY"),
        discovery: { enabled: true, registries: { kubernetes: { disabled: true }, service: {} } },
        ...(withKey && {
          secretboxEncryptionSecret: this.secret,
          aggregatorCA: this.#pair(this.aggregator, true, "EC PRIVATE KEY"),
          serviceAccount: { key: base64(this.serviceAccount.export({ type: "pkcs1", format: "pem" }).toString()) },
          apiServer: { image: `registry.k8s.io/kube-apiserver:${kubernetes}` },
          etcd: { ca: this.#pair(this.etcd, true, "EC PRIVATE KEY") },
        }),
      },
    };
    change(main);
    const documents = [main, { apiVersion: "v1alpha1", kind: "HostnameConfig", auto: "off", hostname }, ...more];
    return documents.map((document) => stringify(document, { lineWidth: 0 })).join("---\n");
  }

  #pair(from: Authority, withKey: boolean, label: string) {
    const type = label.startsWith("EC ") ? "sec1" : "pkcs8";
    const pem = from.key.export({ type: type as "pkcs8", format: "pem" }).toString();
    return {
      crt: base64(from.certificate),
      key: withKey ? base64(pem.replaceAll(/(BEGIN|END) (EC )?PRIVATE KEY/g, `$1 ${label}`)) : "",
    };
  }

  /** docs/facts/talos.md#client-certificates */
  client(roles: readonly string[] = ["os:admin"], extKeyUsage: ("clientAuth" | "serverAuth")[] = ["clientAuth"]): ClientIdentity {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const certificate = createCertificate({
      subject: { organizations: roles },
      publicKey,
      issuer: { certificate: this.os.certificate, key: this.os.key },
      serial: randomBytes(16),
      ...TIMES,
      keyUsage: ["digitalSignature"],
      extKeyUsage,
    });
    return { ca: this.os.certificate, certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests change any part of it.
export type Main = Record<string, any>;

export interface ClientIdentity {
  ca: string;
  certificate: string;
  key: string;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
