import { Decrypter, Encrypter, type Identity } from "age-encryption";
import { userError } from "../errors.ts";

/** Who can decrypt a file: the owners of the recipients' keys, or those who know the passphrase. age does not combine the two. */
export type AgeLock = { recipients: readonly string[] } | { passphrase: string; workFactor?: number };

/** Keys that are tried on a file, one after the other. */
export interface AgeKeys {
  identities?: readonly (string | Identity)[];
  passphrases?: readonly string[];
}

type Bytes = AsyncIterable<Uint8Array>;

/** Encrypts a file as `age` does, streaming. Returns also the keys that decrypt it again in this process. */
export async function encryptAge(plain: Bytes, lock: AgeLock): Promise<{ parts: Bytes; keys: AgeKeys }> {
  const encrypter = new Encrypter();
  if ("passphrase" in lock) {
    encrypter.setPassphrase(lock.passphrase);
    if (lock.workFactor !== undefined) encrypter.setScryptWorkFactor(lock.workFactor);
    return { parts: await encrypter.encrypt(ReadableStream.from(plain)), keys: { passphrases: [lock.passphrase] } };
  }
  for (const recipient of lock.recipients) encrypter.addRecipient(recipient);
  // An extra recipient that keeps the file key and writes no stanza: the file can be verified without a secret key.
  let fileKey: Uint8Array | null = null;
  encrypter.addRecipient({
    wrapFileKey(key) {
      fileKey = key;
      return [];
    },
  });
  const parts = await encrypter.encrypt(ReadableStream.from(plain));
  return { parts, keys: { identities: [{ unwrapFileKey: () => fileKey }] } };
}

/** Decrypts a file; resolves once a key fits. Each part is authenticated when it arrives, but only the end proves that the file is complete. */
export async function decryptAge(sealed: Bytes, keys: AgeKeys): Promise<Bytes> {
  const decrypter = new Decrypter();
  for (const identity of keys.identities ?? []) decrypter.addIdentity(identity);
  for (const passphrase of keys.passphrases ?? []) decrypter.addPassphrase(passphrase);
  // Errors of file systems and networks, and reasons of signals, pass through: the caller that reads the file explains them.
  let ofSource: unknown;
  const source = orElse(sealed, (error) => {
    ofSource = error;
    return error;
  });
  const explained = (error: unknown) => (error === ofSource ? error : problemOf(error));
  const opened = await decrypter.decrypt(ReadableStream.from(source)).catch((error: unknown) => {
    throw explained(error);
  });
  return orElse(opened, explained);
}

async function* orElse(parts: Bytes, explained: (error: unknown) => unknown): Bytes {
  try {
    yield* parts;
  } catch (error) {
    throw explained(error);
  }
}

/** Why an identity or a recipient cannot be used; undefined when it can be used. */
export function problemOfKey(kind: "identity" | "recipient", text: string): string | undefined {
  try {
    if (kind === "identity") new Decrypter().addIdentity(text);
    else new Encrypter().addRecipient(text);
    return undefined;
  } catch {
    // Never the library's own message: it could quote the key.
    if (kind === "identity") return "it does not begin with AGE-SECRET-KEY-1, or a character in it is wrong";
    if (text.startsWith("ssh-")) return "it is an SSH key; only age keys are supported";
    return "it does not begin with age1, or a character in it is wrong";
  }
}

/** The first line of an age file, with or without armor. */
const MAGIC = "age-encryption.org/v1\n";
const ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----";

/** Tells from the beginning of a file how it is decrypted; undefined when it is not an age file. */
export function ageKind(beginning: Uint8Array): "passphrase" | "recipients" | "armored" | undefined {
  const text = Buffer.from(beginning).toString("latin1");
  if (text.startsWith(ARMOR)) return "armored";
  if (!text.startsWith(MAGIC)) return undefined;
  return text.startsWith("-> scrypt ", MAGIC.length) ? "passphrase" : "recipients";
}

/** Without the library's error as cause: it can quote the file. */
function problemOf(error: unknown): unknown {
  if (String(error).includes("no identity matched"))
    return userError("AGE_WRONG_KEY", {
      message: "Unable to decrypt the file with these keys: it was encrypted for another key, or is damaged",
      hint: "use the key or the passphrase it was encrypted with. Nothing was changed.",
    });
  return userError("AGE_DAMAGED", {
    message: "Unable to decrypt the file: it is damaged",
    hint: "use another copy of the file. Nothing was changed.",
  });
}
