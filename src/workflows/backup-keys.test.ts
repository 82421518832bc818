import { ageKind, encryptAge } from "@talosmith/lib/age/crypt.ts";
import { readAgeIdentities } from "@talosmith/lib/age/identity.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { bytesOf, streamOf } from "../../test/support/streams.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { folderInMemory, type Tree } from "../environment/backup/testing/folder-in-memory.ts";
import { chooseKeys, chooseLock, type KeyWishes, type LockWishes } from "./backup-keys.ts";

// Pairs of the age project itself: 32 bytes of 0x42 in its format tests, and the key of its package's examples.
const SECRET = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";
const ONE = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
const OTHER_SECRET = "AGE-SECRET-KEY-184JMZMVQH3E6U0PSL869004Y3U2NYV7R30EU99CSEDNPH02YUVFSZW44VU";
const TWO = "age1cy0su9fwf3gf9mw868g5yut09p6nytfmmnktexz2ya5uqg9vl9sss4euqm";

const FILES: Tree = {
  recipients: `# of the team\n\n ${ONE} \n${TWO}\r\n`,
  comments: "# nothing yet\n",
  "wrong-recipient": `# x\n${ONE}q\n`,
  "key.txt": `# created: today\n${SECRET}\n`,
  "two-keys": `${SECRET}\n${OTHER_SECRET}\n`,
  "wrong-key": `\n${SECRET.replace("GFPYY", "GFPYX")}\n`,
  passphrase: "correct horse\n",
  windows: "correct horse\r\n",
  spaces: "  correct horse  \n\n",
  ten: "0123456789",
  nine: "012345678\n",
  empty: "",
};

interface Trial {
  env?: Record<string, string>;
  typed?: string;
}
let redactor: Redactor;
let asked: string[];
beforeEach(() => {
  redactor = new Redactor();
  asked = [];
});

function around({ env = {}, typed }: Trial) {
  const ask = async (how: "once" | "twice") => {
    asked.push(how);
    return typed;
  };
  return { world: testWorld({ files: folderInMemory("/", FILES), env }), redactor, typed: ask };
}
const lock = (wishes: Partial<LockWishes>, trial: Trial = {}) => chooseLock(around(trial), { recipients: [], ...wishes });
const refused = (code: string, message = "") => expect.objectContaining({ code, message: expect.stringContaining(message) });

describe("a backup is encrypted to", () => {
  test.each<[string, Partial<LockWishes>, string[]]>([
    ["the recipients of flags", { recipients: [TWO, ONE] }, [TWO, ONE]],
    ["the recipients of the config", { configured: [ONE] }, [ONE]],
    ["the recipients in a file, one in a line", { recipientsFile: "/recipients" }, [ONE, TWO]],
    ["all of them, each once", { recipients: [ONE], configured: [TWO, ONE], recipientsFile: "/recipients" }, [ONE, TWO]],
    ["those beside a file without any", { recipients: [ONE], recipientsFile: "/comments" }, [ONE]],
  ])("%s", async (_, wishes, recipients) => {
    expect(await lock(wishes, { env: { TALOSMITH_PASSPHRASE: "correct horse" }, typed: "correct horse" })).toStrictEqual({
      age: { recipients },
    });
    expect(asked).toEqual([]);
  });

  test("a new key first, which is returned as a file's text", async () => {
    const { age, newKey } = await lock({ newKey: "/new.txt", recipients: [ONE] });
    const found = readAgeIdentities(newKey?.text ?? "");
    expect(found).toMatchObject({ identities: [{ recipient: newKey?.recipient }] });
    expect([age, newKey?.file]).toEqual([{ recipients: [newKey?.recipient, ONE] }, "/new.txt"]);
  });
});

describe("a backup is encrypted with", () => {
  test.each<[string, Partial<LockWishes>, Trial, string]>([
    [
      "the passphrase of a file",
      { passphraseFile: "/passphrase" },
      { env: { TALOSMITH_PASSPHRASE: "of the environment" } },
      "correct horse",
    ],
    ["the passphrase of a file from Windows", { passphraseFile: "/windows" }, {}, "correct horse"],
    ["all of a passphrase but one line end", { passphraseFile: "/spaces" }, {}, "  correct horse  \n"],
    ["a passphrase of ten characters", { passphraseFile: "/ten" }, {}, "0123456789"],
    ["the passphrase of the environment", {}, { env: { TALOSMITH_PASSPHRASE: "of the environment" } }, "of the environment"],
  ])("%s, which is never shown", async (_, wishes, trial, passphrase) => {
    expect(await lock(wishes, trial)).toStrictEqual({ age: { passphrase } });
    expect(asked).toEqual([]);
    expect(redactor.text(`it is ${passphrase}.`)).not.toContain(passphrase.trim());
  });

  test.each<Trial>([{ typed: "typed by hand" }, { typed: "typed by hand", env: { TALOSMITH_PASSPHRASE: "" } }])(
    "a passphrase that is typed twice: %j",
    async (trial) => {
      expect(await lock({}, trial)).toStrictEqual({ age: { passphrase: "typed by hand" } });
      expect([asked, redactor.text("typed by hand")]).toEqual([["twice"], expect.not.stringContaining("typed")]);
    },
  );

  test("the given work factor", async () => {
    expect(await lock({ passphraseFile: "/ten", workFactor: 4 })).toStrictEqual({
      age: { passphrase: "0123456789", workFactor: 4 },
    });
  });
});

describe("a backup is refused", () => {
  test.each<[string, Partial<LockWishes>, string, string]>([
    ["without a recipient and a passphrase", {}, "NO_RECIPIENT", "no terminal"],
    ["with a file without recipients", { recipientsFile: "/comments" }, "NO_RECIPIENT", "No recipient in /comments"],
    ["with a file that does not exist", { recipientsFile: "/none" }, "FILE_MISSING", "/none"],
    ["with a passphrase file that does not exist", { passphraseFile: "/none" }, "FILE_MISSING", "/none"],
    ["with a passphrase of nine characters", { passphraseFile: "/nine" }, "PASSPHRASE", "fewer than 10"],
    ["with an empty passphrase", { passphraseFile: "/empty" }, "PASSPHRASE", "fewer than 10"],
    ["with a recipient and a passphrase", { recipients: [ONE], passphraseFile: "/ten" }, "USAGE", "not to both"],
    ["with a new key and a passphrase", { newKey: "/new.txt", passphraseFile: "/ten" }, "USAGE", "not to both"],
    ["with a wrong recipient", { recipients: [ONE, `${TWO}q`] }, "RECIPIENT", "from --recipient"],
    ["with a wrong recipient of the config", { configured: ["x"] }, "RECIPIENT", "from backup.recipients"],
    ["with a wrong recipient in a file", { recipientsFile: "/wrong-recipient" }, "RECIPIENT", "from /wrong-recipient:2"],
    ["with a new key in place of another file", { newKey: "/key.txt" }, "KEY_EXISTS", "/key.txt"],
  ])("%s", async (_, wishes, code, message) => {
    await expect(lock(wishes)).rejects.toEqual(refused(code, message));
  });
});

describe("an encrypted backup is opened", () => {
  const sealed = async (age: Parameters<typeof encryptAge>[1]) => bytesOf((await encryptAge(streamOf("text"), age)).parts);
  const keys = async (beginning: Uint8Array, wishes: Partial<KeyWishes>, trial: Trial = {}) =>
    chooseKeys(around(trial), { identityFiles: [], ...wishes }, "a.age", beginning);
  const toKey = () => sealed({ recipients: [ONE] });
  const withPassphrase = () => sealed({ passphrase: "correct horse", workFactor: 4 });

  test("with the keys of all given files, which are never shown", async () => {
    expect(await keys(await toKey(), { identityFiles: ["/key.txt", "/two-keys"] })).toEqual({
      identities: [SECRET, SECRET, OTHER_SECRET],
    });
    for (const secret of [SECRET, OTHER_SECRET]) {
      // In this spelling nothing but the known text tells that it is a key.
      const encoded = Buffer.from(secret).toString("base64");
      expect(redactor.text(`it is ${encoded}`)).not.toContain(encoded.slice(0, 20));
    }
  });

  test("with a passphrase of a file, of the environment, or typed once", async () => {
    const file = await withPassphrase();
    expect(ageKind(file)).toBe("passphrase");
    expect(await keys(file, { passphraseFile: "/passphrase" })).toEqual({ passphrases: ["correct horse"] });
    const env = { TALOSMITH_PASSPHRASE: "of the environment" };
    expect(await keys(file, {}, { env })).toEqual({ passphrases: ["of the environment"] });
    expect(asked).toEqual([]);
    expect(await keys(file, {}, { typed: "typed" })).toEqual({ passphrases: ["typed"] });
    expect(asked).toEqual(["once"]);
  });

  test("with a short passphrase too: another program may have encrypted it", async () => {
    expect(await keys(await withPassphrase(), { passphraseFile: "/nine" })).toEqual({ passphrases: ["012345678"] });
  });

  test.each<[string, () => Promise<Uint8Array>, Partial<KeyWishes>, string, string]>([
    ["without a key", toKey, { passphraseFile: "/passphrase" }, "NO_IDENTITY", "no key was given"],
    ["with a file without keys", toKey, { identityFiles: ["/comments"] }, "NO_IDENTITY", "no key was given"],
    ["with a wrong key", toKey, { identityFiles: ["/key.txt", "/wrong-key"] }, "IDENTITY", "/wrong-key:2"],
    ["with a file that does not exist", toKey, { identityFiles: ["/none"] }, "FILE_MISSING", "/none"],
    ["without a passphrase", withPassphrase, { identityFiles: ["/key.txt"] }, "NO_PASSPHRASE", "no terminal"],
    ["when it is no file of age", async () => Buffer.from("\x1f\x8b"), {}, "NOT_A_BACKUP", "not encrypted with age"],
    [
      "when it is armored",
      async () => Buffer.from("-----BEGIN AGE ENCRYPTED FILE-----"),
      { identityFiles: ["/key.txt"] },
      "NOT_A_BACKUP",
      "only age's binary format",
    ],
  ])("but not %s", async (_, file, wishes, code, message) => {
    await expect(file().then((beginning) => keys(beginning, wishes))).rejects.toEqual(refused(code, message));
  });
});
