import { describe, expect, test } from "vitest";
import { bytesOf } from "../../../test/support/streams.ts";
import { Reader } from "./reader.ts";

/** A source that records how far it was read. */
function source(...texts: string[]) {
  const log: string[] = [];
  const parts = async function* () {
    try {
      for (const text of texts) {
        log.push(text);
        yield Buffer.from(text);
      }
      log.push("end");
    } finally {
      log.push("closed");
    }
  };
  return { log, reader: new Reader(parts()) };
}

const textOf = async (parts: AsyncIterable<Uint8Array>) => (await bytesOf(parts)).toString();

test("exact numbers of bytes are read across the parts of a source", async () => {
  const { reader } = source("ab", "", "c", "defg");
  expect((await reader.exactly(1)).toString()).toBe("a");
  expect((await reader.exactly(4)).toString()).toBe("bcde");
  expect(await textOf(reader.part(2))).toBe("fg");
  await expect(reader.exactly(1)).rejects.toThrow("it is truncated");
});

test("no more of a source is read than is needed", async () => {
  const { reader, log } = source("ab", "cd");
  expect(await reader.exactly(0)).toHaveLength(0);
  expect(log).toEqual([]);
  await reader.exactly(2);
  expect(log).toEqual(["ab"]);
});

describe("a part", () => {
  test("that a source does not have in full fails at its end", async () => {
    const { reader } = source("abc");
    const part = reader.part(4)[Symbol.asyncIterator]();
    expect((await part.next()).value?.toString()).toBe("abc");
    await expect(part.next()).rejects.toThrow("it is truncated");
  });

  test("ends after its bytes", async () => {
    const { reader } = source("abcd");
    const part = reader.part(3)[Symbol.asyncIterator]();
    expect((await part.next()).value?.toString()).toBe("abc");
    expect(await part.next()).toEqual({ done: true, value: undefined });
    expect((await reader.exactly(1)).toString()).toBe("d");
  });

  test("that is iterated again continues where it was left", async () => {
    const { reader } = source("ab", "cd");
    const part = reader.part(4);
    for await (const first of part) {
      expect(first.toString()).toBe("ab");
      break;
    }
    expect(await textOf(part)).toBe("cd");
    expect(await textOf(part)).toBe("");
  });
});

test("the rest is read to the end of a source", async () => {
  const { reader, log } = source("ab", "cd", "ef");
  await reader.exactly(1);
  await reader.rest();
  expect(log).toEqual(["ab", "cd", "ef", "end", "closed"]);
});

test("a source that is closed before its end is released", async () => {
  const { reader, log } = source("ab", "cd");
  await reader.exactly(1);
  await reader.close();
  expect(log).toEqual(["ab", "closed"]);
});
