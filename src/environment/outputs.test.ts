import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Environment } from "./environment.ts";
import { type Outputs, outputsOf, printOutputs } from "./outputs.ts";

// The contract is what docs/reference/outputs.md promises, and the keys are those that issue 3 names.
const page = readFileSync(join(import.meta.dirname, "../../docs/reference/outputs.md"), "utf8");
const rows = page.split("\n").flatMap((line) => {
  const [, key, type, example] = /^\| `(\w+)` \| ([^|]+) \| `([^`]+)` \|/.exec(line) ?? [];
  return key === undefined ? [] : [{ key, type, example: JSON.parse(example ?? "") }];
});

const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
const ISCSI = "613e1592b2da41ae5e265e8789429f22e121aab91cb4deb6bc3c0b6262961245";
const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const nodes = [
  { name: "cp-1", role: "controlplane", ip: "10.10.0.11", installDisk: "/dev/sda" },
  { name: "worker-1", role: "worker", ip: "10.10.0.21", installDisk: "/dev/sda" },
] as const;

function outputs(
  endpoint = "10.10.0.5",
  ids = new Map([
    ["cp-1", 79468],
    ["worker-1", 83980],
  ]),
  { hasAgeKey = true } = {},
): Outputs {
  const config = { cluster: { endpoint }, nodes } as unknown as Environment["config"];
  const env = { config, folder: "/home/me/talosmith/environments/homelab" } as Environment;
  const imageOf = ({ role }: { role: string }) => {
    const schematic = role === "worker" ? ISCSI : PLAIN;
    return { schematic, installer: `factory.talos.dev/nocloud-installer/${schematic}:v1.13.9` };
  };
  return outputsOf(env, ids, imageOf, hasAgeKey ? RECIPIENT : undefined);
}

test("the page names exactly the keys there are, in their order", () => {
  expect(rows.map(({ key }) => key)).toEqual(Object.keys(outputs()));
});

test("the page's examples are what this environment puts out", () => {
  expect(Object.fromEntries(rows.map(({ key, example }) => [key, example]))).toEqual(outputs());
});

test("outputs.json holds the keys and nothing around them", () => {
  expect(JSON.parse(printOutputs(outputs()))).toEqual(outputs());
});

test("a machine that is no longer in the config has no id", () => {
  expect(outputs("10.10.0.5", new Map([["worker-9", 4711]])).talos_vm_ids).toEqual({});
});

test("an IPv6 endpoint is put in brackets, as in any URL", () => {
  expect(outputs("fd00::5").talos_cluster_endpoint).toBe("https://[fd00::5]:6443");
});

test("an environment without an age key has an empty recipient", () => {
  expect(outputs("10.10.0.5", new Map(), { hasAgeKey: false }).age_recipient).toBe("");
});
