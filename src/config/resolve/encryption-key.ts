import type { Redactor } from "@talosmith/lib/secret.ts";
import type { EncryptionKey } from "../config.ts";
import type { Pool } from "../pools.ts";
import { sure } from "./values.ts";

export type WrittenKey = NonNullable<NonNullable<Pool["settings"]["encryption"]>["state"]>;

export function keyOf(key: WrittenKey, redactor: Redactor): EncryptionKey {
  if (typeof key === "string") return { by: key };
  if (key.passphrase !== undefined) return { by: "passphrase", passphrase: redactor.secret(key.passphrase) };
  return { by: "kms", kms: sure(key.kms) };
}
