import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf } from "../../../test/support/streams.ts";
import { type AgeKeys, type AgeLock, ageKind, decryptAge, encryptAge, problemOfKey } from "./crypt.ts";
import { createAgeIdentity } from "./identity.ts";

// The pair of the age project's own format tests: 32 bytes of 0x42.
const SECRET = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";
const RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
const OTHER = "AGE-SECRET-KEY-184JMZMVQH3E6U0PSL869004Y3U2NYV7R30EU99CSEDNPH02YUVFSZW44VU";

async function* parts(bytes: Uint8Array, size = 4096): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
/** A file that cannot be read to its end. */
async function* failing(bytes: Uint8Array, error: unknown): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw error;
}

async function sealed(plain: Uint8Array, lock: AgeLock): Promise<{ bytes: Buffer; keys: AgeKeys }> {
  const { parts: made, keys } = await encryptAge(parts(plain), lock);
  return { bytes: await bytesOf(made), keys };
}
const opened = async (bytes: Uint8Array, keys: AgeKeys) => bytesOf(await decryptAge(parts(bytes), keys));

test("an encrypted file decrypts to its content for its recipient, and with the keys that encryptAge returns", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(0, 1, 65_535, 65_536, 65_537, 140_000), fc.nat({ max: 255 }), async (size, byte) => {
      const plain = Buffer.alloc(size, byte);
      const { bytes, keys } = await sealed(plain, { recipients: [RECIPIENT] });
      expect((await opened(bytes, { identities: [OTHER, SECRET] })).equals(plain)).toBe(true);
      expect((await opened(bytes, keys)).equals(plain)).toBe(true);
    }),
    { numRuns: 5 },
  );
});

test("each of several recipients can decrypt a file alone", async () => {
  const two = [0x43, 0x44].map((byte) => createAgeIdentity({ bytes: (count) => Buffer.alloc(count, byte) }));
  const recipients = [RECIPIENT, ...two.map(({ recipient }) => recipient)];
  const { bytes } = await sealed(Buffer.from("text"), { recipients });
  for (const secret of [SECRET, ...two.map((one) => one.secret)])
    expect((await opened(bytes, { identities: [secret] })).toString()).toBe("text");
});

test("a passphrase decrypts what it encrypted, and no other passphrase does", async () => {
  const { bytes, keys } = await sealed(Buffer.from("text"), { passphrase: "correct horse", workFactor: 4 });
  expect((await opened(bytes, keys)).toString()).toBe("text");
  expect((await opened(bytes, { passphrases: ["another one", "correct horse"] })).toString()).toBe("text");
  expect(ageKind(bytes)).toBe("passphrase");
  await expect(opened(bytes, { passphrases: ["correct hors"] })).rejects.toMatchObject({ code: "AGE_WRONG_KEY" });
});

test("a passphrase is hardened with the given work factor", async () => {
  const { bytes } = await sealed(Buffer.from("text"), { passphrase: "correct horse", workFactor: 4 });
  expect(bytes.toString("latin1")).toMatch(/^age-encryption.org\/v1\n-> scrypt \S+ 4\n/);
});

test("the keys that encryptAge returns add nothing to the file, and open no other one", async () => {
  const one = await sealed(Buffer.from("text"), { recipients: [RECIPIENT] });
  expect(one.bytes.toString("latin1").match(/^-> .*$/gm)).toEqual([expect.stringMatching(/^-> X25519 /)]);
  const other = await sealed(Buffer.from("text"), { recipients: [RECIPIENT] });
  await expect(opened(other.bytes, one.keys)).rejects.toMatchObject({ code: expect.stringMatching(/^AGE_/) });
});

test.each([
  ["a file system", Object.assign(new Error("i/o error"), { code: "EIO" })],
  ["a command that was interrupted", new Error("interrupted")],
])("an error of %s is passed on as it is, wherever it happens", async (_, error) => {
  const { bytes } = await sealed(Buffer.alloc(200_000), { recipients: [RECIPIENT] });
  const lock = { recipients: [RECIPIENT] };
  for (const read of [20, 150_000]) {
    const found = decryptAge(failing(bytes.subarray(0, read), error), { identities: [SECRET] }).then(bytesOf);
    await expect(found, `${read}`).rejects.toBe(error);
  }
  await expect(encryptAge(failing(Buffer.alloc(10), error), lock).then((made) => bytesOf(made.parts))).rejects.toBe(error);
});

test("damage behind the header is reported while the file is read", async () => {
  const { bytes } = await sealed(Buffer.alloc(200_000), { recipients: [RECIPIENT] });
  bytes[150_000] = (bytes[150_000] ?? 0) ^ 1;
  const found = await decryptAge(parts(bytes), { identities: [SECRET] });
  await expect(bytesOf(found)).rejects.toMatchObject({ code: "AGE_DAMAGED" });
});

test("decrypting with another key or with no key fails with AGE_WRONG_KEY", async () => {
  const { bytes } = await sealed(Buffer.from("text"), { recipients: [RECIPIENT] });
  expect(ageKind(bytes)).toBe("recipients");
  for (const keys of [{ identities: [OTHER] }, {}])
    await expect(opened(bytes, keys)).rejects.toMatchObject({ code: "AGE_WRONG_KEY" });
});

test("a file with any flipped bit, or truncated anywhere, is refused", async () => {
  const { bytes } = await sealed(Buffer.from("some text"), { recipients: [RECIPIENT] });
  const refusal = expect.objectContaining({ code: expect.stringMatching(/^AGE_(DAMAGED|WRONG_KEY)$/) });
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    await expect(opened(flipped, { identities: [SECRET] }), `bit of byte ${at}`).rejects.toEqual(refusal);
    if (at % 3 === 0)
      await expect(opened(bytes.subarray(0, at), { identities: [SECRET] }), `end at ${at}`).rejects.toEqual(refusal);
  }
  await expect(opened(Buffer.concat([bytes, Buffer.from("x")]), { identities: [SECRET] })).rejects.toEqual(refusal);
});

test("a problem of a key is described without showing the key", () => {
  expect(problemOfKey("recipient", RECIPIENT)).toBeUndefined();
  expect(problemOfKey("identity", SECRET)).toBeUndefined();
  expect(problemOfKey("recipient", "ssh-ed25519 AAAA")).toContain("SSH");
  expect(problemOfKey("recipient", `${RECIPIENT.slice(0, -1)}q`)).toContain("a character in it is wrong");
  for (const wrong of [SECRET.replace("GFPYY", "GFPYX"), RECIPIENT, "ssh-ed25519 AAAA"])
    expect(problemOfKey("identity", wrong)).toBe("it does not begin with AGE-SECRET-KEY-1, or a character in it is wrong");
  expect(problemOfKey("recipient", SECRET)).toContain("does not begin with age1");
});

test.each([
  ["age-encryption.org/v1\n-> scrypt AAAA 18\n", "passphrase"],
  ["age-encryption.org/v1\n-> X25519 AAAA\n", "recipients"],
  ["age-encryption.org/v1\n-> scryptic AAAA\n", "recipients"],
  ["-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\n", "armored"],
  ["age-encryption.org/v2\n-> scrypt AAAA 18\n", undefined],
  [" age-encryption.org/v1\n-> X25519 AAAA\n", undefined],
  ["\x1f\x8b", undefined],
  ["", undefined],
])("a file that begins with %j is opened with: %s", (beginning, kind) => {
  expect(ageKind(Buffer.from(beginning, "latin1"))).toBe(kind);
});
