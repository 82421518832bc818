import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { decodeBech32, encodeBech32 } from "./bech32.ts";
import { createAgeIdentity, printAgeIdentity, readAgeIdentities } from "./identity.ts";

// Pairs of the age project itself: 32 bytes of 0x42 in its format tests, and the key of its package's examples.
const PAIRS = [
  [
    "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX",
    "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj",
  ],
  [
    "AGE-SECRET-KEY-184JMZMVQH3E6U0PSL869004Y3U2NYV7R30EU99CSEDNPH02YUVFSZW44VU",
    "age1cy0su9fwf3gf9mw868g5yut09p6nytfmmnktexz2ya5uqg9vl9sss4euqm",
  ],
] as const;

describe("bech32", () => {
  // BIP 173, test vectors.
  test.each([
    "a12uel5l",
    "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
    "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
    "?1ezyfcl",
  ])("%s is valid, in upper case too", (text) => {
    expect(decodeBech32(text)?.word).toBe(text.slice(0, text.lastIndexOf("1")));
    expect(decodeBech32(text.toUpperCase())).toEqual(decodeBech32(text));
  });

  // Encoded by the reference implementation of BIP 173, from groups of five bits.
  test.each([
    ["a1lu9cgf6y", [0xff]],
    ["a1qqqqtk27v5", [0, 0]],
  ])("the bytes of %s are %j, the zero bits behind them are dropped", (text, bytes) => {
    expect(decodeBech32(text)).toEqual({ word: "a", bytes: Uint8Array.from(bytes) });
    expect(encodeBech32("a", Uint8Array.from(bytes))).toBe(text);
  });

  test.each(["a1qpamnt9j", "a1qzngxatd", "a1q3g6mn3", "a1qqqd87cpp", "a1qqqqqq3q4q7k"])(
    "%s is invalid: the bits behind its bytes are not zero or more than four",
    (text) => {
      expect(decodeBech32(text)).toBeUndefined();
    },
  );

  test.each(["\x201nwldj5", "\x7f1axkwrx", "\x801eym55h"])("%j is invalid: its prefix is not printable", (text) => {
    expect(decodeBech32(text)).toBeUndefined();
  });

  test.each(["pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8", "10a06t8", "1qzzfhee", "a12UEL5L"])(
    "%s is invalid",
    (text) => {
      expect(decodeBech32(text)).toBeUndefined();
    },
  );

  test("encoded bytes decode to themselves, and any single wrong letter is detected", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(), fc.nat({ max: 30 }), (bytes, at, shift) => {
        const text = encodeBech32("age", bytes);
        expect(decodeBech32(text)).toEqual({ word: "age", bytes });
        const letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
        const place = 4 + (at % (text.length - 4));
        const other = letters[(letters.indexOf(text[place] ?? "") + 1 + shift) % 32];
        expect(decodeBech32(text.slice(0, place) + other + text.slice(place + 1))).toBeUndefined();
      }),
    );
  });
});

describe("an age key", () => {
  test.each(PAIRS)("%s has the recipient that age gives it", (secret, recipient) => {
    expect(readAgeIdentities(`# a comment\n\n${secret}\n`)).toEqual({ identities: [{ secret, recipient }] });
  });

  test("a file may have several keys, in lower case too, with spaces, comments and the line ends of Windows", () => {
    const text = `# one\r\n ${PAIRS[0][0]} \r\n  # two\n\n${PAIRS[1][0].toLowerCase()}`;
    expect(readAgeIdentities(text)).toEqual({ identities: PAIRS.map(([secret, recipient]) => ({ secret, recipient })) });
  });

  test("a key is made of 32 random bytes", () => {
    const counts: number[] = [];
    createAgeIdentity({ bytes: (count) => Buffer.alloc(counts.push(count) && count) });
    expect(counts).toEqual([32]);
  });

  test("a created key is read back from its printed form, for any random bytes", () => {
    const { clock } = testWorld();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const made = createAgeIdentity({ bytes: () => bytes });
        expect(readAgeIdentities(printAgeIdentity(made, clock))).toEqual({ identities: [made] });
      }),
      { numRuns: 50 },
    );
  });

  test("is printed in the format of age-keygen", () => {
    const made = createAgeIdentity({ bytes: () => new Uint8Array(32).fill(0x42) });
    const text = printAgeIdentity(made, { ...testWorld().clock, now: () => Date.UTC(2026, 10, 16, 9, 30, 1, 234) });
    expect(text).toBe(`# created: 2026-11-16T09:30:01Z\n# public key: ${PAIRS[0][1]}\n${PAIRS[0][0]}\n`);
  });

  test.each([
    ["nothing", "# only a comment\n", 1, "no key"],
    ["no line", "", 1, "no key"],
    ["another file", "# x\nhello\n", 2, "AGE-SECRET-KEY-1"],
    ["a key with a wrong letter", `\n\n${PAIRS[0][0].replace("GFPYY", "GFPYX")}\n`, 3, "wrong, missing"],
    ["a key cut off", `${PAIRS[0][0].slice(0, 40)}\n`, 1, "wrong, missing"],
    ["a key of 31 bytes", `${encodeBech32("age-secret-key-", new Uint8Array(31))}\n`, 1, "wrong length"],
    ["a key of 33 bytes", `${PAIRS[0][0]}\n${encodeBech32("age-secret-key-", new Uint8Array(33))}\n`, 2, "wrong length"],
    ["a key of another kind", encodeBech32("age-secret-key-1x", new Uint8Array(32)), 1, "wrong length"],
    ["a recipient", `${PAIRS[0][1]}\n`, 1, "AGE-SECRET-KEY-1"],
    ["a post-quantum key", "AGE-SECRET-KEY-PQ-1QQQ\n", 1, "post-quantum"],
  ])("a file with %s is refused with the number of the line, not with its text", (_, text, line, why) => {
    const found = readAgeIdentities(text);
    expect(found).toEqual({ line, why: expect.stringContaining(why) });
    expect(JSON.stringify(found)).not.toContain("GFPYYSJZ");
  });
});
