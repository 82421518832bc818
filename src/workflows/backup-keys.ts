import { type AgeKeys, type AgeLock, ageKind, problemOfKey } from "@talosmith/lib/age/crypt.ts";
import { createAgeIdentity, printAgeIdentity } from "@talosmith/lib/age/identity.ts";
import { userError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";

/** Asks for a passphrase without showing it; undefined without a terminal. */
export type TypedPassphrase = (how: "once" | "twice") => Promise<string | undefined>;

export interface LockWishes {
  recipients: readonly string[];
  /** Recipients of the config. */
  configured?: readonly string[];
  recipientsFile?: string;
  passphraseFile?: string;
  /** A file to write a new secret key to, which opens the backup. */
  newKey?: string;
  /** scrypt's work factor, as a power of two; age's default when absent. */
  workFactor?: number;
}

export interface KeyWishes {
  identityFiles: readonly string[];
  passphraseFile?: string;
}

/** The environment variable of the passphrase. */
export const PASSPHRASE = "TALOSMITH_PASSPHRASE";
const SHORTEST = 10;

interface Around {
  world: World;
  redactor: Redactor;
  typed: TypedPassphrase;
}

/** A new key, written to its file once the backup exists. */
export interface NewKey {
  file: string;
  text: string;
  recipient: string;
}

/** Chooses recipients or a passphrase for a backup. */
export async function chooseLock(around: Around, wishes: LockWishes): Promise<{ age: AgeLock; newKey?: NewKey }> {
  const made = wishes.newKey === undefined ? undefined : newKey(around.world, wishes.newKey);
  const recipients = recipientsOf(around.world, wishes, made);
  if (wishes.recipientsFile !== undefined && recipients.length === 0)
    throw userError("NO_RECIPIENT", {
      message: `No recipient in ${wishes.recipientsFile}`,
      hint: "write one age1… recipient per line",
    });
  if (recipients.length > 0 && wishes.passphraseFile !== undefined)
    throw userError("USAGE", {
      message: "age encrypts to recipients or to a passphrase, not to both",
      hint: "leave out --passphrase-file, or --recipient, --recipients-file and --new-key",
    });
  for (const { text, from } of recipients) {
    const problem = problemOfKey("recipient", text);
    if (problem !== undefined)
      throw userError("RECIPIENT", {
        message: `The recipient from ${from} cannot be used: ${problem}`,
        hint: "a recipient is what age-keygen calls the public key: age1…",
      });
  }
  if (recipients.length > 0)
    return { age: { recipients: [...new Set(recipients.map(({ text }) => text))] }, ...(made && { newKey: made }) };
  const passphrase = await passphraseFrom(around, wishes.passphraseFile, "twice");
  if (passphrase === undefined)
    throw userError("NO_RECIPIENT", {
      message: "No backup recipient configured, and no terminal to ask for a passphrase",
      hint: `create a key and keep it elsewhere:  --new-key FILE\nor give the public key of a key that you have:  --recipient age1…, or backup.recipients in the config\nor give a passphrase: --passphrase-file FILE, or ${PASSPHRASE} in the environment`,
    });
  if (passphrase.length < SHORTEST)
    throw userError("PASSPHRASE", {
      message: `The passphrase has fewer than ${SHORTEST} characters`,
      hint: "short passphrases can be guessed by trying: use several random words",
    });
  return { age: { passphrase, ...(wishes.workFactor !== undefined && { workFactor: wishes.workFactor }) } };
}

function recipientsOf(world: World, wishes: LockWishes, made: NewKey | undefined): Line[] {
  const { recipients, configured = [], recipientsFile } = wishes;
  return [
    ...(made ? [{ text: made.recipient, from: "--new-key" }] : []),
    ...recipients.map((text) => ({ text, from: "--recipient" })),
    ...configured.map((text) => ({ text, from: "backup.recipients" })),
    ...(recipientsFile === undefined ? [] : linesOf(world, recipientsFile)),
  ];
}

function newKey(world: World, file: string): NewKey {
  if (world.files.stat(file) !== undefined)
    throw userError("KEY_EXISTS", {
      message: `${file} already exists, and a key is never replaced`,
      hint: "use its public key with --recipient age1…, or name another file. Nothing was changed.",
    });
  const identity = createAgeIdentity(world.random);
  return { file, text: printAgeIdentity(identity, world.clock), recipient: identity.recipient };
}

/** Chooses the keys or passphrase to open a backup, by the kind that its first bytes name. */
export async function chooseKeys(around: Around, wishes: KeyWishes, shown: string, beginning: Uint8Array): Promise<AgeKeys> {
  switch (ageKind(beginning)) {
    case undefined:
      throw userError("NOT_A_BACKUP", {
        message: `${shown} is not a backup: it is not encrypted with age`,
        hint: "name a file that talosmith backup made, or a tar of the folder that age encrypted",
      });
    case "armored":
      throw userError("NOT_A_BACKUP", {
        message: `${shown} is armored: only age's binary format is supported`,
        hint: "convert it: remove the first and last line, then run  base64 -d",
      });
    case "recipients": {
      const identities = wishes.identityFiles.flatMap((file) => identitiesIn(around, file));
      if (identities.length > 0) return { identities };
      throw userError("NO_IDENTITY", {
        message: `${shown} is encrypted to a key, and no key was given`,
        hint: "give the file with the secret key of one of its recipients: --identity FILE",
      });
    }
    case "passphrase": {
      const passphrase = await passphraseFrom(around, wishes.passphraseFile, "once");
      if (passphrase !== undefined) return { passphrases: [passphrase] };
      throw userError("NO_PASSPHRASE", {
        message: `${shown} is encrypted with a passphrase, and there is no terminal to ask for it`,
        hint: `give it with --passphrase-file FILE, or ${PASSPHRASE} in the environment`,
      });
    }
  }
}

async function passphraseFrom({ world, redactor, typed }: Around, file: string | undefined, how: "once" | "twice") {
  // An empty variable counts as none; an empty file is a passphrase that is too short.
  const passphrase = file === undefined ? world.env(PASSPHRASE) || (await typed(how)) : textOf(world, file).replace(/\r?\n$/, "");
  if (passphrase !== undefined) redactor.learn(passphrase);
  return passphrase;
}

function identitiesIn({ world, redactor }: Around, file: string): string[] {
  const lines = linesOf(world, file);
  for (const { text, from } of lines) {
    redactor.learn(text);
    const problem = problemOfKey("identity", text);
    if (problem !== undefined)
      throw userError("IDENTITY", {
        message: `${from} cannot be used as a key: ${problem}`,
        hint: "name a file that age-keygen wrote; one that is encrypted itself has to be opened with age -d first",
      });
  }
  return lines.map(({ text }) => text);
}

interface Line {
  text: string;
  /** Its place. */
  from: string;
}

/** Lines without comments. */
function linesOf(world: World, file: string): Line[] {
  return textOf(world, file)
    .split("\n")
    .map((line, index) => ({ text: line.trim(), from: `${file}:${index + 1}` }))
    .filter(({ text }) => text !== "" && !text.startsWith("#"));
}

function textOf(world: World, file: string): string {
  const content = world.files.read(file);
  if (content === undefined)
    throw userError("FILE_MISSING", { message: `There is no ${file}`, hint: "check the path. Nothing was changed." });
  return Buffer.from(content).toString("utf8");
}
