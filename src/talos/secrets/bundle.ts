import type { Secret } from "@talosmith/lib/secret.ts";

/** The secrets from which a cluster's machine configs and access files are derived. */
export interface SecretsBundle {
  readonly cluster: {
    /** Opaque and not secret: identifies the cluster in discovery; marks are derived from it. */
    readonly id: string;
    /** 32 bytes in base64: encrypts the data that nodes exchange through discovery. */
    readonly secret: Secret;
  };
  readonly secrets: {
    readonly bootstrapToken: Secret;
    readonly encryption: EncryptionSecret;
  };
  readonly trustdInfo: { readonly token: Secret };
  readonly certs: {
    readonly etcd: Authority;
    readonly k8s: Authority;
    readonly k8sAggregator: Authority;
    readonly k8sServiceAccount: { readonly key: Secret };
    /** Signs for the Talos API. */
    readonly os: Authority;
  };
}

/** The key that encrypts Kubernetes secrets in etcd; aescbc only in bundles from before Talos 1.3. */
export interface EncryptionSecret {
  readonly kind: "secretbox" | "aescbc";
  readonly value: Secret;
}

/** A CA: its certificate and its key, both PEM, with Talos' label on the key (`privateKey` loads it). */
export interface Authority {
  readonly certificate: string;
  readonly key: Secret;
}
