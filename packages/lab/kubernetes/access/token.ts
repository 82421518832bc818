import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { SimulatedCluster } from "../cluster.ts";
import type { Loose } from "../objects.ts";

export interface TokenFor {
  namespace: string;
  serviceAccount: { name: string; uid: string };
  pod?: { name: string; uid: string };
  audiences?: readonly string[];
  seconds: number;
}

/** Token readers check validity by real time, whatever the lab's clock says, so tokens are valid from before the lab's start. */
const VALID_FROM = Date.UTC(2025, 0, 1) / 1000;
const FAR_AHEAD = Date.UTC(2045, 0, 1) / 1000;

export function issuer(cluster: SimulatedCluster): string {
  return cluster.settings.endpoint;
}

/** Issues a service account token as the TokenRequest API does: a JWT signed with the cluster's service account key. */
export function issueToken(cluster: SimulatedCluster, wanted: TokenFor): string {
  const { serviceAccountKey } = cluster.settings;
  const key = privateKeyOf(serviceAccountKey);
  const elliptic = key.asymmetricKeyType === "ec";
  const { serviceAccount, namespace, pod } = wanted;
  const payload = {
    aud: wanted.audiences ?? [issuer(cluster)],
    exp: FAR_AHEAD,
    iat: VALID_FROM,
    iss: issuer(cluster),
    jti: `${serviceAccount.uid}-${pod?.uid ?? cluster.state.revision}`,
    "kubernetes.io": { namespace, ...(pod && { pod }), serviceaccount: serviceAccount },
    nbf: VALID_FROM,
    sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
  };
  const signed = `${encoded({ alg: elliptic ? "ES256" : "RS256", typ: "JWT" })}.${encoded(payload)}`;
  const before = signatures.get(`${serviceAccountKey}${signed}`);
  if (before !== undefined) return `${signed}.${before}`;
  const signature = sign("sha256", Buffer.from(signed), { key, ...(elliptic && { dsaEncoding: "ieee-p1363" as const }) });
  remember(`${serviceAccountKey}${signed}`, signature.toString("base64url"));
  return `${signed}.${signature.toString("base64url")}`;
}

/** An RSA signature takes 10 ms, and a pod's environment is computed each time the pod is read. */
const signatures = new Map<string, string>();
const MOST_SIGNATURES = 1000;

function remember(signed: string, signature: string): void {
  if (signatures.size >= MOST_SIGNATURES) signatures.clear();
  signatures.set(signed, signature);
}

const keys = new Map<string, KeyObject>();

function privateKeyOf(pem: string): KeyObject {
  const key = keys.get(pem) ?? createPrivateKey(pem);
  if (keys.size >= MOST_SIGNATURES) keys.clear();
  keys.set(pem, key);
  return key;
}

export interface TokenClaims {
  namespace: string;
  serviceAccount: { name: string; uid: string };
  pod?: { name: string; uid: string };
}

/** Reads a token's claims; undefined when this cluster did not sign it. */
export function readToken(cluster: SimulatedCluster, token: string): TokenClaims | undefined {
  const [header = "", payload = "", signature = "", ...rest] = token.split(".");
  if (rest.length > 0 || signature === "") return undefined;
  const key = createPublicKey(cluster.settings.serviceAccountKey);
  const genuine = verify(
    "sha256",
    Buffer.from(`${header}.${payload}`),
    { key, ...(key.asymmetricKeyType === "ec" && { dsaEncoding: "ieee-p1363" as const }) },
    Buffer.from(signature, "base64url"),
  );
  if (!genuine) return undefined;
  const claims: Loose = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  const { namespace, serviceaccount, pod } = claims["kubernetes.io"] ?? {};
  if (claims.iss !== issuer(cluster) || !serviceaccount) return undefined;
  return { namespace, serviceAccount: serviceaccount, ...(pod && { pod }) };
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
