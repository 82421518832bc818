import { expect, test } from "vitest";
import { shortPathName } from "./tree.ts";

test("the name of a path is written as people write it", () => {
  expect(shortPathName(["nodes", 1, "disks", 0, "size"])).toBe("nodes[1].disks[0].size");
});

test("a long path name is shown with its beginning and its end", () => {
  const name = shortPathName(["addons", "secrets", 1, ...Array.from({ length: 4000 }, () => "a"), "key"]);
  expect(name.length).toBeLessThan(250);
  expect(name).toMatch(/^addons\.secrets\[1\]\.a\.a.*…[a.]+key$/);
});
