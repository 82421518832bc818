import { LayeredFiles } from "@talosmith/lib/world/layered-files.ts";
import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { putStandIns } from "./stand-ins.ts";

const REAL = "the user's key";
const LAB = "the lab's key";

/** The config, the key file and the variables that a rehearsal sees, for a config with this SSH key. */
function replaced(key: string) {
  const { files: below, ...rest } = testWorld({ env: { KEYS: "/keys", KEY: REAL } });
  const files = new LayeredFiles(
    below,
    () => false,
    () => 0,
  );
  files.put("/keys/id", REAL);
  files.put("/env/config.yaml", `platform: proxmox\nproxmox: { ssh: { key: "${key}" } }\n`);
  const env = new Map<string, string>();
  putStandIns({ world: { ...rest, files: below }, folder: "/env", files, env }, [], LAB);
  const text = (path: string) => String(files.read(path));
  return { config: text("/env/config.yaml"), file: text("/keys/id"), variables: Object.fromEntries(env) };
}

test("an SSH key is replaced where the config takes it from", () => {
  for (const key of ["/keys/id", "../keys/id", `\${file:/keys/id}`])
    expect(replaced(key)).toMatchObject({ config: expect.stringContaining(key), file: LAB, variables: {} });
  expect(replaced(`\${env:KEY}`)).toMatchObject({ file: REAL, variables: { KEY: LAB } });
});

test("an SSH key whose path contains a reference is replaced in the config", () => {
  const { config, variables } = replaced(`\${env:KEYS}/id`);
  expect(config).toBe(`platform: proxmox\nproxmox: { ssh: { key: "${LAB}" } }\n`);
  expect(variables).toEqual({});
});
