import { userError } from "../../lib/errors.ts";
import type { Redactor } from "../../lib/secret.ts";
import type { World } from "../../lib/world/world.ts";
import { createAuthority } from "./authority.ts";
import type { SecretsBundle } from "./bundle.ts";
import { keyPem, secretKey } from "./key-pem.ts";
import { createToken } from "./token.ts";

/** The contracts we generate for, and the alphabet of `cluster.id` in each: the only thing in a bundle that differs. */
const CLUSTER_ID_ALPHABET = new Map<string, "base64" | "base64url">([
  ["v1.12", "base64url"],
  ["v1.13", "base64url"],
  ["v1.14", "base64"],
]);

/** All new: only for a cluster that does not exist yet. */
export async function createSecretsBundle(
  world: World,
  options: { contract: string; redactor: Redactor },
): Promise<SecretsBundle> {
  const { redactor } = options;
  const alphabet = CLUSTER_ID_ALPHABET.get(options.contract);
  if (alphabet === undefined) {
    throw userError("TALOS_CONTRACT", {
      message: `Unable to make Talos secrets for contract ${options.contract}`,
      hint: `use one of ${[...CLUSTER_ID_ALPHABET.keys()].join(", ")} as cluster.contract`,
    });
  }
  const { random, keys } = world;
  const [etcd, k8s, aggregator, serviceAccount, os] = await Promise.all([
    keys.p256(),
    keys.p256(),
    keys.p256(),
    keys.rsa4096(),
    keys.ed25519(),
  ]);
  const secret32 = () => redactor.secret(base64(random.bytes(32)));
  return {
    cluster: { id: clusterId(random.bytes(32), alphabet), secret: secret32() },
    secrets: {
      bootstrapToken: redactor.secret(createToken(random)),
      encryption: { kind: "secretbox", value: secret32() },
    },
    trustdInfo: { token: redactor.secret(createToken(random)) },
    certs: {
      etcd: createAuthority(world, redactor, etcd, "etcd"),
      k8s: createAuthority(world, redactor, k8s, "kubernetes"),
      k8sAggregator: createAuthority(world, redactor, aggregator),
      k8sServiceAccount: { key: secretKey(redactor, keyPem(serviceAccount.privateKey)) },
      os: createAuthority(world, redactor, os, "talos"),
    },
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
