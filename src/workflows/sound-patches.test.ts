import { TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { soundPatches } from "./sound-patches.ts";

const FOLDER = "/env";

/** Every problem, with its line in config.yaml. */
function told(patches: string): string[] {
  const { world } = testSession();
  world.files.makeFolder(FOLDER, 0o700);
  const config = `platform: metal
cluster: { name: rack, endpoint: 10.10.0.11, talos: v1.13.9 }
network: { cidr: 10.10.0.0/24, gateway: 10.10.0.1 }
nodes:
  - { name: cp, role: controlplane, ip: 10.10.0.11 }
  - { name: worker, role: worker, count: 3, ip: 10.10.0.21 }
patches:
${patches}`;
  world.files.create(`${FOLDER}/config.yaml`, Buffer.from(config), 0o600);
  try {
    soundPatches(openEnvironment(world, FOLDER, new Redactor()));
    return [];
  } catch (error) {
    if (!(error instanceof TalosmithError)) throw error;
    const problems = error.problems.length > 0 ? error.problems : [error];
    return problems.map(({ where, message }) => `${where?.line} ${message}`);
  }
}

test("patches that Talos accepts are accepted", () => {
  expect(told("  all: [{ machine: { udev: { rules: [x] } } }]\n")).toEqual([]);
});

test("a missing field is reported at its document, once for all nodes", () => {
  const watchdog = "{ apiVersion: v1alpha1, kind: WatchdogTimerConfig, device: /dev/watchdog0 }";
  expect(told(`  all:\n    - ${watchdog}\n`)).toEqual(["9 cp: WatchdogTimerConfig needs timeout"]);
});

test("a patch that does not fit a role is reported for the first node of that role", () => {
  expect(told("  all:\n    - cluster: { etcd: { advertisedSubnets: [10.10.0.0/24] } }\n")).toEqual([
    "9 worker-1: a worker cannot have cluster.etcd",
  ]);
});
