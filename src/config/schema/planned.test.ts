import { expect, test } from "vitest";
import { changed, failure, problems } from "../testing/config-in-memory.ts";

const onNode = (text: string) => changed({ "ip: 10.10.0.11": `ip: 10.10.0.11\n    ${text}` });

test.each([
  ["platform: metal", "18:5 nodes[0].platform"],
  ["create: false", "18:5 nodes[0].create"],
  ["disks: [{ size: 5GiB, mount: /data }]", "18:27 nodes[0].disks[0].mount"],
])("%s on a node is known, and refused as not available yet", (text, at) => {
  const [problem, ...more] = failure(onNode(text)).problems;
  expect([problem?.code, `${problem?.where?.line}:${problem?.where?.column} ${problem?.message}`, more]).toEqual([
    "CONFIG_NOT_YET",
    `${at} is not available yet in this version`,
    [],
  ]);
  expect(problem?.hint).toMatch(/remove it/);
});

test.each([["image", "proxmox:\n", "image: { overlay: { name: rpi } }\nproxmox:\n", "9:10 image.overlay"]])(
  "a planned key of %s is refused at its line",
  (_, from, to, expected) => {
    expect(problems(changed({ [from]: to }))).toEqual([`${expected} is not available yet in this version`]);
  },
);

test("a planned choice is refused at its value", () => {
  expect(problems(onNode("gpu: amd"))).toEqual(["18:10 nodes[0].gpu amd is not available yet in this version"]);
});

test("platform oci is refused without further problems", () => {
  expect(problems("platform: oci\nservers: []\n")).toEqual(["1:11 platform oci is not available yet in this version"]);
});
