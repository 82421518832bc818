import type { Redactor, Secret } from "@talosmith/lib/secret.ts";
import type { KeyPair, World } from "@talosmith/lib/world/world.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { KeyUsage } from "@talosmith/lib/x509/extensions.ts";
import type { Subject } from "@talosmith/lib/x509/name.ts";
import type { Authority } from "../secrets/bundle.ts";
import { keyPem, privateKey } from "../secrets/key-pem.ts";

export interface ClientCertificate {
  /** PEM */
  readonly certificate: string;
  /** PEM, with Talos' label when it is an Ed25519 key. */
  readonly key: Secret;
}

interface Wish {
  readonly subject: Subject;
  readonly keyUsage: readonly KeyUsage[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Creates a client certificate, signed by a CA of the cluster. Talos refuses one that is also valid for servers. */
export async function createClientCertificate(
  world: World,
  authority: Authority,
  redactor: Redactor,
  wish: Wish,
): Promise<ClientCertificate> {
  const ca = privateKey(authority.key.reveal());
  const pair = await keysLike(ca.asymmetricKeyType, world);
  const certificate = createCertificate({
    subject: wish.subject,
    publicKey: pair.publicKey,
    issuer: { certificate: authority.certificate, key: ca },
    serial: world.random.bytes(16),
    notBefore: new Date(wish.notBefore),
    notAfter: new Date(wish.notAfter),
    keyUsage: wish.keyUsage,
    extKeyUsage: ["clientAuth"],
  });
  return { certificate, key: redactor.secret(keyPem(pair.privateKey)) };
}

/** Talos makes keys of the type that their CA has. */
function keysLike(type: string | undefined, { keys }: World): Promise<KeyPair> {
  if (type === "ed25519") return keys.ed25519();
  return type === "rsa" ? keys.rsa4096() : keys.p256();
}
