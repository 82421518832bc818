import { resolve } from "node:path";
import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { environmentFolder } from "./environment.ts";

test("the folder of an environment is returned as an absolute path", () => {
  const files = new VolatileFiles();
  files.makeFolder(resolve("environments/homelab"), 0o700);
  expect(environmentFolder(testWorld({ files }), "environments/homelab")).toBe(resolve("environments/homelab"));
});

test("a missing folder, and a file in its place, are refused with the command that makes one", () => {
  const files = new VolatileFiles();
  files.write("/file", Buffer.from(""), 0o600);
  for (const path of ["/missing", "/file"])
    expect(() => environmentFolder(testWorld({ files }), path)).toThrow(
      expect.objectContaining({
        kind: "user",
        code: "NO_ENVIRONMENT",
        hint: expect.stringContaining(`talosmith init PLATFORM ${path}`),
      }),
    );
});
