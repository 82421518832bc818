import { Secret } from "@talosmith/lib/secret.ts";
import type { Authority, SecretsBundle } from "./bundle.ts";

const token = new Secret("abcdef.0123456789abcdef");
const bytes = new Secret(Buffer.alloc(32).toString("base64"));
const authority: Authority = { certificate: "stands in for a certificate\n", key: new Secret("stands in for a key\n") };

/** In place of secrets that are not made yet: whoever only looks at the shape of a config needs none. Nothing made from it is ever sent. */
export const STAND_IN: SecretsBundle = {
  cluster: { id: bytes.reveal(), secret: bytes },
  secrets: { bootstrapToken: token, encryption: { kind: "secretbox", value: bytes } },
  trustdInfo: { token },
  certs: { etcd: authority, k8s: authority, k8sAggregator: authority, k8sServiceAccount: { key: authority.key }, os: authority },
};
