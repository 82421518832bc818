import { expect, test } from "vitest";
import { changed, loadMetal, METAL } from "../../config/testing/config-in-memory.ts";
import type { Environment } from "../../environment/environment.ts";
import { MachineConfig } from "../../talos/config/machine-config.ts";
import { testBundle } from "../../talos/config/testing/test-bundle.ts";
import { configsFrom } from "./wanted-configs.ts";

/* METAL has cp, worker-1 and worker-2. */

const { config, where } = loadMetal(changed({}, METAL));
const env: Environment = { folder: "/e", shown: "e", config, warnings: [], where };
const configs = () => configsFrom(env, { mac: () => "02:00:00:00:00:01" }, testBundle().input.secrets);

test("the files are a base for each role and a patch for each node", () => {
  expect([...configs().files().keys()]).toEqual([
    "controlplane.yaml",
    "patch-cp.yaml",
    "worker.yaml",
    "patch-worker-1.yaml",
    "patch-worker-2.yaml",
  ]);
});

test("steps that ask for the same node share its config", () => {
  const { of, files } = configs();
  for (const node of config.nodes) expect(of(node)).toBe(of(node));
  expect(files().get("patch-cp.yaml")).toBe(files().get("patch-cp.yaml"));
});

test("a config means what its bytes say", () => {
  const { of, files } = configs();
  for (const one of [...files().values(), ...config.nodes.map(of)])
    expect(MachineConfig.read(one.text).documents).toStrictEqual(one.documents);
});
