import { LayeredFiles } from "@talosmith/lib/world/layered-files.ts";
import { expect, test } from "vitest";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { scale } from "./scale.ts";

function copyOf(text: string): LayeredFiles {
  const files = new LayeredFiles(
    new VolatileFiles(),
    () => false,
    () => 0,
  );
  files.put("/env/config.yaml", text);
  return files;
}
const CONFIG = `platform: proxmox
nodes:
  - { name: cp, role: controlplane, ip: 10.0.0.1 }
  - name: small
    role: worker
    count: 2 # two for now
    ip: 10.0.0.11
`;

test.each(["small", "worker"])("%s names the entry, and nothing but its count is changed", (pool) => {
  const files = copyOf(CONFIG);
  const restore = files.keep();
  scale(files, "/env", pool, 5);
  expect(String(files.read("/env/config.yaml"))).toBe(CONFIG.replace("count: 2", "count: 5"));
  restore();
  expect(String(files.read("/env/config.yaml"))).toBe(CONFIG);
});

test.each(["cp", "large"])("%s cannot be scaled: no entry of that name has a count", (pool) => {
  expect(() => scale(copyOf(CONFIG), "/env", pool, 5)).toThrow(`Unable to scale ${pool}`);
});
