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
  ["what waits for an upgrade", { withheld: ["longhorn"] }, "not installed: longhorn"],
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
