import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Disk } from "../state.ts";
import { type WrongConfig, wrongConfigs } from "../testing/wrong-configs.ts";
import { readDocuments } from "./documents.ts";
import { ConfigRefused } from "./raw.ts";
import { runtimeVerdict, staticVerdict } from "./validate.ts";
import { together } from "./values.ts";

interface Said {
  load: string;
  validate: string;
  runtime: string;
  warnings: string[];
}

/** Messages of Talos 1.12.7, 1.13.9 and 1.14.1: recorded by test/conformance/lab-validation, which also checks them again. */
const recorded = JSON.parse(readFileSync(new URL("testdata/wrong-configs.json", import.meta.url), "utf8")) as Record<
  string,
  Record<string, Said>
>;
const RELEASES: Record<string, string> = { "1.12": "v1.12.7", "1.13": "v1.13.9", "1.14": "v1.14.1" };

/** The disks of the recorded node. */
const disks = (["sda", "sdb"] as const).map(
  (device, index): Disk => ({
    device,
    size: ([20, 100][index] as number) * 2 ** 30,
    model: "QEMU HARDDISK",
    serial: `serial-${device}`,
    transport: "virtio",
    cdrom: false,
    rotational: true,
  }),
);

function said({ mode, text }: WrongConfig, version: string): Said {
  const node = { name: "metal", requiresInstall: mode === "metal", version, disks };
  try {
    const documents = readDocuments(text, Number(version.split(".")[1]));
    const [fixed, runtime] = [staticVerdict(documents, node), runtimeVerdict(documents, node)];
    const printed = (problems: readonly string[]) => (problems.length > 0 ? together(problems) : "");
    return {
      load: "",
      validate: printed(fixed.problems),
      runtime: printed(runtime.problems),
      warnings: [...fixed.warnings, ...runtime.warnings],
    };
  } catch (error) {
    if (error instanceof ConfigRefused) return { load: error.message, validate: "", runtime: "", warnings: [] };
    throw error;
  }
}

describe.each(Object.keys(RELEASES))("Talos %s has the recorded messages for", (minor) => {
  test.each(wrongConfigs.map((config) => [config.name, config] as const))("%s", (name, config) => {
    expect(said(config, RELEASES[minor] as string)).toEqual(recorded[minor]?.[name]);
  });
});

test("each wrong config is refused by some Talos version, or causes a warning", () => {
  const quiet = wrongConfigs.filter(({ name }) =>
    Object.values(recorded).every((all) => {
      const { load, validate, runtime, warnings } = all[name] as Said;
      return load + validate + runtime === "" && warnings.length === 0;
    }),
  );
  expect(quiet.map(({ name }) => name)).toEqual([]);
});
