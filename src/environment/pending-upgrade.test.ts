import { expect, test } from "vitest";
import type { PendingUpgrade } from "../engine/result.ts";
import { upgradeFindings, upgradeWords } from "./pending-upgrade.ts";

const runs = (version: string, ...nodes: string[]) => ({ version, nodes });
const image = (node: string, ...lacks: string[]) => ({ node, lacks, upgrade: `talosctl upgrade -n ${node}` });
const pending = (more: Partial<PendingUpgrade>): PendingUpgrade => ({ images: [], withheld: [], ...more }) as PendingUpgrade;

const TALOS = { runs: [runs("v1.13.9", "cp-1", "worker-1")], config: "v1.14.0" };
const KUBERNETES = { runs: [runs("v1.36.3", "cp-1"), runs("v1.36.2", "worker-1")], config: "v1.37.0" };

test.each<[string, Partial<PendingUpgrade>, string]>([
  ["nothing", {}, ""],
  ["a release", { talos: TALOS }, "Talos v1.13.9 (config: v1.14.0)"],
  [
    "both releases",
    { talos: TALOS, kubernetes: KUBERNETES },
    "Talos v1.13.9 (config: v1.14.0), Kubernetes v1.36.3 and v1.36.2 (config: v1.37.0)",
  ],
  ["images", { images: [image("cp-1"), image("worker-1")] }, "another image on cp-1, worker-1"],
  ["Kubernetes alone", { kubernetes: { ...TALOS, config: "v1.37.0" } }, "Kubernetes v1.13.9 (config: v1.37.0)"],
  ["one image", { images: [image("cp-1")] }, "another image on cp-1"],
  ["what waits for an upgrade", { withheld: ["longhorn"] }, "not installed: longhorn"],
  [
    "everything",
    { talos: TALOS, images: [image("cp-1")], withheld: ["longhorn", "piraeus"] },
    "Talos v1.13.9 (config: v1.14.0), another image on cp-1, not installed: longhorn, piraeus",
  ],
] as const)("a pending upgrade of %s in a few words", (_, more, words) => {
  expect(upgradeWords(pending(more))).toBe(words);
});

const messages = (more: Partial<PendingUpgrade>) =>
  upgradeFindings(pending(more), "warn").map(({ code, message }) => `${code} ${message}`);

test("without a difference there is no finding", () => {
  expect(messages({})).toEqual([]);
});

test("releases that differ are one finding, with the nodes only where they differ among each other", () => {
  const where = { file: "config.yaml", line: 3, column: 1 };
  const [finding, ...more] = upgradeFindings(pending({ talos: TALOS, kubernetes: KUBERNETES }), "fail", where);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ level: "fail", code: "UPGRADE_NEEDED" });
  expect(finding?.message).toContain(
    "the cluster runs Talos v1.13.9 and Kubernetes v1.36.3 (cp-1), v1.36.2 (worker-1), the config says Talos v1.14.0 and Kubernetes v1.37.0",
  );
  expect(finding?.hint).toContain("talos: v1.13.9 and kubernetes: v1.36.3 under cluster (config.yaml:3)");
});

test("images that differ are one finding: without an extension, otherwise different, and what waits for them", () => {
  const images = [image("cp-1"), image("worker-1", "iscsi-tools", "drbd"), image("worker-2", "drbd")];
  expect(messages({ images, withheld: ["longhorn"] })).toEqual([
    "IMAGE_DIFFERS worker-1, worker-2 run without drbd, iscsi-tools; cp-1 runs another image than the config describes; longhorn is not installed until then (another image is an upgrade, which up does not do)",
  ]);
  expect(messages({ images: [image("worker-1", "drbd")] })).toEqual([
    "IMAGE_DIFFERS worker-1 runs without drbd (another image is an upgrade, which up does not do)",
  ]);
  expect(messages({ images: [image("cp-1"), image("cp-2")], withheld: ["longhorn", "piraeus"] })).toEqual([
    "IMAGE_DIFFERS cp-1, cp-2 run another image than the config describes; longhorn, piraeus are not installed until then (another image is an upgrade, which up does not do)",
  ]);
});

const CLUSTER = { config: "v1.37.0", runs: [runs("v1.36.3", "cp-1", "worker-1")] };

test("a release that runs everywhere is named without nodes, and its hint has its own command and key alone", () => {
  const [finding, ...more] = upgradeFindings(pending({ kubernetes: CLUSTER }), "warn");
  expect(more).toEqual([]);
  expect(finding).toMatchObject({
    level: "warn",
    code: "UPGRADE_NEEDED",
    message: expect.stringContaining("the cluster runs Kubernetes v1.36.3, the config says Kubernetes v1.37.0;"),
    hint: "upgrade with talosctl upgrade-k8s, or set the running version in the config: kubernetes: v1.36.3 under cluster",
  });
});

test("the hint for Talos names its own command", () => {
  expect(upgradeFindings(pending({ talos: TALOS }), "warn")[0]?.hint).toBe(
    "upgrade with talosctl upgrade, or set the running version in the config: talos: v1.13.9 under cluster",
  );
});

test("one older release is named with its nodes when the other nodes run the configured one", () => {
  const talos = { config: "v1.14.0", runs: [runs("v1.13.9", "worker-1")], partly: true as const };
  expect(upgradeFindings(pending({ talos }), "warn")[0]?.message).toContain("the cluster runs Talos v1.13.9 (worker-1), the");
});

test("a finding about images has the commands of all nodes and the requested level", () => {
  const [finding] = upgradeFindings(pending({ images: [image("cp-1"), image("worker-1", "drbd")] }), "fail");
  expect(finding).toMatchObject({ level: "fail", hint: "talosctl upgrade -n cp-1\ntalosctl upgrade -n worker-1" });
});

test("one node with another image is described in the singular", () => {
  expect(messages({ images: [image("cp-1")] })).toEqual([
    "IMAGE_DIFFERS cp-1 runs another image than the config describes (another image is an upgrade, which up does not do)",
  ]);
});

test("an extension that several nodes lack is named once, and all extensions in order", () => {
  const images = [image("worker-1", "zfs", "drbd"), image("worker-2", "drbd")];
  expect(messages({ images })[0]).toContain("run without drbd, zfs (");
});

test("addons that are withheld without another image are no finding", () => {
  expect(messages({ withheld: ["longhorn"] })).toEqual([]);
});

test("releases and images that differ are two findings", () => {
  expect(upgradeFindings(pending({ talos: TALOS, images: [image("cp-1")] }), "warn").map(({ code }) => code)).toEqual([
    "UPGRADE_NEEDED",
    "IMAGE_DIFFERS",
  ]);
});
