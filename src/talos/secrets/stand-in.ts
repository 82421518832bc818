import { Secret } from "@talosmith/lib/secret.ts";
import type { Authority, SecretsBundle } from "./bundle.ts";

const token = new Secret("abcdef.0123456789abcdef");
const bytes = new Secret(Buffer.alloc(32).toString("base64"));
const authority: Authority = { certificate: "stands in for a certificate\n", key: new Secret("stands in for a key\n") };

/** A placeholder for secrets that do not exist yet, enough to examine the structure of a config. Nothing made from it is ever sent. */
export const STAND_IN: SecretsBundle = {
  cluster: { id: bytes.reveal(), secret: bytes },
  secrets: { bootstrapToken: token, encryption: { kind: "secretbox", value: bytes } },
  trustdInfo: { token },
  certs: { etcd: authority, k8s: authority, k8sAggregator: authority, k8sServiceAccount: { key: authority.key }, os: authority },
};
