import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { bitString, explicit, objectId, sequence, setOf, unsignedInteger } from "@talosmith/lib/x509/der.ts";
import { type SubjectAltNames, subjectAltNames } from "@talosmith/lib/x509/extensions.ts";
import { nameOf, type Subject } from "@talosmith/lib/x509/name.ts";
import { encodePem } from "@talosmith/lib/x509/pem.ts";

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";

/** A PKCS #10 request as a kubelet sends it: RFC 2986. */
export function certificateRequest(key: KeyObject, subject: Subject, names: SubjectAltNames): string {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const extensions = sequence(subjectAltNames(names, false));
  const attributes = sequence(objectId(EXTENSION_REQUEST), setOf(extensions));
  const wanted = sequence(unsignedInteger(Buffer.from([0])), nameOf(subject), publicKey, explicit(0, attributes));
  const signature = sign("sha256", wanted, key);
  const der = sequence(wanted, sequence(objectId(ECDSA_WITH_SHA256)), bitString(signature));
  return encodePem({ label: "CERTIFICATE REQUEST", der });
}
