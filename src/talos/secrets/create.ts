import { userError } from "@talosmith/lib/errors.ts";
import type { Redactor, Secret } from "@talosmith/lib/secret.ts";
import type { KeyPair, World } from "@talosmith/lib/world/world.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { Authority, SecretsBundle } from "./bundle.ts";
import { keyPem } from "./key-pem.ts";
import { createToken } from "./token.ts";

/** The supported contracts, with the alphabet of `cluster.id`: the only difference between their bundles. */
const CLUSTER_ID_ALPHABET = new Map<string, "base64" | "base64url">([
  ["v1.12", "base64url"],
  ["v1.13", "base64url"],
  ["v1.14", "base64"],
]);

/** Secrets of an existing cluster that are adopted. */
export interface GivenSecrets extends Pick<SecretsBundle["certs"], "etcd" | "k8s" | "k8sAggregator" | "k8sServiceAccount"> {
  readonly bootstrapToken: Secret;
}

/** Creates a bundle; secrets that are not given are generated, so it is only for a new cluster. */
export async function createSecretsBundle(
  world: World,
  options: { contract: string; redactor: Redactor; given?: GivenSecrets },
): Promise<SecretsBundle> {
  const { redactor, given } = options;
  const alphabet = CLUSTER_ID_ALPHABET.get(options.contract);
  if (alphabet === undefined) {
    throw userError("TALOS_CONTRACT", {
      message: `Unable to make Talos secrets for contract ${options.contract}`,
      hint: `use one of ${[...CLUSTER_ID_ALPHABET.keys()].join(", ")} as cluster.contract`,
    });
  }
  const { random, keys } = world;
  const certs = given ?? (await kubernetesCerts(world, redactor));
  const os = await keys.ed25519();
  const secret32 = () => redactor.secret(base64(random.bytes(32)));
  return {
    cluster: { id: clusterId(random.bytes(32), alphabet), secret: secret32() },
    secrets: {
      bootstrapToken: given?.bootstrapToken ?? redactor.secret(createToken(random)),
      encryption: { kind: "secretbox", value: secret32() },
    },
    trustdInfo: { token: redactor.secret(createToken(random)) },
    certs: {
      etcd: certs.etcd,
      k8s: certs.k8s,
      k8sAggregator: certs.k8sAggregator,
      k8sServiceAccount: certs.k8sServiceAccount,
      os: createAuthority(world, redactor, os, "talos"),
    },
  };
}

async function kubernetesCerts(world: World, redactor: Redactor): Promise<Omit<GivenSecrets, "bootstrapToken">> {
  const { keys } = world;
  const [etcd, k8s, aggregator, serviceAccount] = await Promise.all([keys.p256(), keys.p256(), keys.p256(), keys.rsa4096()]);
  return {
    etcd: createAuthority(world, redactor, etcd, "etcd"),
    k8s: createAuthority(world, redactor, k8s, "kubernetes"),
    k8sAggregator: createAuthority(world, redactor, aggregator),
    k8sServiceAccount: { key: redactor.secret(keyPem(serviceAccount.privateKey)) },
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** Padded in both alphabets, which Node's own "base64url" is not. */
function clusterId(bytes: Uint8Array, alphabet: "base64" | "base64url"): string {
  const standard = base64(bytes);
  return alphabet === "base64" ? standard : standard.replaceAll("+", "-").replaceAll("/", "_");
}

const HOUR_MS = 3_600_000;
const VALIDITY_HOURS = 87_600;

/**
 * A CA as Talos makes it: both extended key usages on the CA itself, no cRLSign, a random key id instead of a hash of the key.
 * Without an organization its subject is empty, as the aggregator's is.
 */
export function createAuthority(world: World, redactor: Redactor, pair: KeyPair, organization?: string): Authority {
  const now = world.clock.now();
  const certificate = createCertificate({
    subject: organization === undefined ? {} : { organizations: [organization] },
    publicKey: pair.publicKey,
    issuer: { key: pair.privateKey },
    serial: world.random.bytes(16),
    notBefore: new Date(now),
    notAfter: new Date(now + VALIDITY_HOURS * HOUR_MS),
    ca: {},
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth", "clientAuth"],
    subjectKeyId: world.random.bytes(20),
  });
  return { certificate, key: redactor.secret(keyPem(pair.privateKey)) };
}
