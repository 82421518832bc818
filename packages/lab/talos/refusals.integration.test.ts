import { readFileSync } from "node:fs";
import { ApplyConfigurationRequest_Mode as Mode } from "@talosmith/wire/gen/machine/machine_pb.js";
import { afterEach, expect, test } from "vitest";
import { refusalOf, TalosBench } from "./testing/bench.ts";
import type { TalosClient } from "./testing/client.ts";
import { wrongConfigs } from "./testing/wrong-configs.ts";

let bench: TalosBench;
afterEach(() => bench.close());

interface Said {
  load: string;
  validate: string;
  runtime: string;
}

/** Talos's own messages (see config/wrong-configs.test.ts); the codes are those of its servers (docs/facts/talos.md#error-codes). */
const recorded = JSON.parse(readFileSync(new URL("config/testdata/wrong-configs.json", import.meta.url), "utf8")) as Record<
  string,
  Record<string, Said>
>;

function inMaintenance(minor: string, { load, validate, runtime }: Said): { code: string; text: string } {
  if (minor !== "1.12") return { code: "InvalidArgument", text: load || validate || runtime };
  if (load !== "") return { code: "Unknown", text: `failed to parse config: ${load}` };
  const text =
    validate === "" ? `runtime configuration validation failed: ${runtime}` : `configuration validation failed: ${validate}`;
  return { code: "InvalidArgument", text };
}

const attempt = (client: TalosClient, text: string) =>
  refusalOf(client.machine.applyConfiguration({ data: Buffer.from(text), mode: Mode.AUTO, dryRun: true }));

test.each([
  ["1.12", "v1.12.7"],
  ["1.13", "v1.13.9"],
  ["1.14", "v1.14.1"],
])("%s in maintenance mode refuses each wrong config with Talos's code and message", async (minor, talos) => {
  bench = await TalosBench.open({ metal: [{ name: "rack-1", address: 31, talos, diskGiB: 20, moreDisksGiB: [100] }] });
  const client = bench.client(bench.lab.address.host(31));
  await bench.eventually(() => client.storage.disks({}));
  let refused = 0;
  for (const { name, text } of wrongConfigs) {
    const said = recorded[minor]?.[name] as Said;
    // 1.14 reports both together.
    if (said.load + said.validate + said.runtime === "" || (said.validate !== "" && said.runtime !== "")) continue;
    expect({ name, ...(await attempt(client, text)) }).toEqual({ name, ...inMaintenance(minor, said) });
    refused++;
  }
  expect(refused).toBeGreaterThan(60);
});

test("a running node refuses the same configs with InvalidArgument, and a config without machine and cluster", async () => {
  bench = await TalosBench.open();
  const { client } = await bench.controlPlane(bench.cluster(), 101, 11);
  const unreadable = wrongConfigs.filter(({ name }) => recorded["1.13"]?.[name]?.load !== "");
  expect(unreadable.length).toBeGreaterThan(25);
  for (const { name, text } of unreadable) {
    const expected = { code: "InvalidArgument", text: recorded["1.13"]?.[name]?.load };
    expect({ name, ...(await attempt(client, text)) }).toEqual({ name, ...expected });
  }
  expect(await attempt(client, "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: x\n")).toEqual({
    code: "InvalidArgument",
    text: "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?",
  });
});
