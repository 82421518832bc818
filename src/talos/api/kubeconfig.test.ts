import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { kubeconfigFrom } from "./kubeconfig.ts";

/** POSIX ustar: name at 0, size in octal at 124. */
function tar(content: Buffer, size = content.length): Buffer {
  const header = Buffer.alloc(512);
  header.write("kubeconfig", 0);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  return Buffer.concat([header, content]);
}

test("whatever was put in comes out, with and without what ends a proper tar", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.nat(1024), (text, padding) => {
      const archive = Buffer.concat([tar(Buffer.from(text)), Buffer.alloc(padding)]);
      expect(kubeconfigFrom(gzipSync(archive))).toBe(text);
    }),
  );
});

test.each([
  ["is no gzip", Buffer.from("kind: Config")],
  ["is cut off", gzipSync(tar(Buffer.from("kind"), 4000))],
  ["is empty", gzipSync(Buffer.alloc(0))],
  ["is a bomb", gzipSync(Buffer.alloc(64 * 1024 * 1024))],
])("an answer that %s is refused", (_, archive) => {
  expect(() => kubeconfigFrom(archive)).toThrow("Unable to read the kubeconfig that the node answered with");
});
