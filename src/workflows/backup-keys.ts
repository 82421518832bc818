import { type AgeKeys, type AgeLock, ageKind, problemOfKey } from "@talosmith/lib/age/crypt.ts";
import { createAgeIdentity, printAgeIdentity } from "@talosmith/lib/age/identity.ts";
import { userError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";

/** Asks a person for a passphrase that is not shown; undefined when nobody is there. */
export type TypedPassphrase = (how: "once" | "twice") => Promise<string | undefined>;

export interface LockWishes {
  recipients: readonly string[];
  /** Those of the config. */
  configured?: readonly string[];
  recipientsFile?: string;
  passphraseFile?: string;
  /** A file to write a new secret key to, which opens the backup. */
  newKey?: string;
  /** Of scrypt, as a power of two; age's own when absent. */
  workFactor?: number;
}

export interface KeyWishes {
  identityFiles: readonly string[];
  passphraseFile?: string;
}

/** What a passphrase comes from where nobody can type. */
export const PASSPHRASE = "TALOSMITH_PASSPHRASE";
const SHORTEST = 10;

interface Around {
  world: World;
  redactor: Redactor;
  typed: TypedPassphrase;
}

/** A key that is still to be written, once there is something it opens. */
export interface NewKey {
  file: string;
  text: string;
  recipient: string;
}

/** Whom a backup is encrypted to. */
export async function chooseLock(around: Around, wishes: LockWishes): Promise<{ age: AgeLock; newKey?: NewKey }> {
  const made = wishes.newKey === undefined ? undefined : newKey(around.world, wishes.newKey);
  const recipients = [
    ...(made ? [{ text: made.recipient, from: "--new-key" }] : []),
    ...wishes.recipients.map((text) => ({ text, from: "--recipient" })),
    ...(wishes.configured ?? []).map((text) => ({ text, from: "backup.recipients" })),
    ...(wishes.recipientsFile === undefined ? [] : linesOf(around.world, wishes.recipientsFile)),
  ];
  if (wishes.recipientsFile !== undefined && recipients.length === 0)
    throw userError("NO_RECIPIENT", {
      message: `There is no recipient in ${wishes.recipientsFile}`,
      hint: "write one age1… to a line",
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
        message: `The recipient of ${from} cannot be used: ${problem}`,
        hint: "a recipient is what age-keygen calls the public key: age1…",
      });
  }
  if (recipients.length > 0)
    return { age: { recipients: [...new Set(recipients.map(({ text }) => text))] }, ...(made && { newKey: made }) };
  const passphrase = await passphraseFrom(around, wishes.passphraseFile, "twice");
  if (passphrase === undefined)
    throw userError("NO_RECIPIENT", {
      message: "No backup recipient configured, and no terminal to ask for a passphrase",
      hint: `make a key and keep it elsewhere:  --new-key FILE\nor name the public key of one that you have:  --recipient age1…, or backup.recipients in the config\nor give a passphrase: --passphrase-file FILE, or ${PASSPHRASE} in the environment`,
    });
  if (passphrase.length < SHORTEST)
    throw userError("PASSPHRASE", {
      message: `The passphrase has fewer than ${SHORTEST} characters`,
      hint: "who has the file can try all short ones: take several random words",
    });
  return { age: { passphrase, ...(wishes.workFactor !== undefined && { workFactor: wishes.workFactor }) } };
}

function newKey(world: World, file: string): NewKey {
  if (world.files.stat(file) !== undefined)
    throw userError("KEY_EXISTS", {
      message: `${file} is there already, and a key is never replaced`,
      hint: "its public key stands in it: --recipient age1…. Or name another file. Nothing was changed.",
    });
  const identity = createAgeIdentity(world.random);
  return { file, text: printAgeIdentity(identity, world.clock), recipient: identity.recipient };
}

/** What a backup is opened with; its beginning says which kind it needs. */
export async function chooseKeys(around: Around, wishes: KeyWishes, shown: string, beginning: Uint8Array): Promise<AgeKeys> {
  switch (ageKind(beginning)) {
    case undefined:
      throw userError("NOT_A_BACKUP", {
        message: `${shown} is no backup: it is not encrypted with age`,
        hint: "name a file that talosmith backup made, or a tar of the folder that age encrypted",
      });
    case "armored":
      throw userError("NOT_A_BACKUP", {
        message: `${shown} is armored: text in place of bytes`,
        hint: "turn it into bytes: without its first and last line through  base64 -d",
      });
    case "recipients": {
      const identities = wishes.identityFiles.flatMap((file) => identitiesIn(around, file));
      if (identities.length > 0) return { identities };
      throw userError("NO_IDENTITY", {
        message: `${shown} is encrypted to a key, and no key was named`,
        hint: "name the file with the secret key of one of its recipients: --identity FILE",
      });
    }
    case "passphrase": {
      const passphrase = await passphraseFrom(around, wishes.passphraseFile, "once");
      if (passphrase !== undefined) return { passphrases: [passphrase] };
      throw userError("NO_PASSPHRASE", {
        message: `${shown} is encrypted with a passphrase, and there is nobody to ask for it`,
        hint: `give it with --passphrase-file FILE, or ${PASSPHRASE} in the environment`,
      });
    }
  }
}

async function passphraseFrom({ world, redactor, typed }: Around, file: string | undefined, how: "once" | "twice") {
  const given = file === undefined ? world.env(PASSPHRASE) : textOf(world, file).replace(/\r?\n$/, "");
  const passphrase = given === undefined || (given === "" && file === undefined) ? await typed(how) : given;
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

/** Without comments, each with its place. */
function linesOf(world: World, file: string): { text: string; from: string }[] {
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
