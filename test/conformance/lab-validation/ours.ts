import { readFileSync, writeFileSync } from "node:fs";
import { readDocuments } from "@talosmith/lab/talos/config/documents.ts";
import { ConfigRefused } from "@talosmith/lab/talos/config/raw.ts";
import { runtimeVerdict, staticVerdict } from "@talosmith/lab/talos/config/validate.ts";
import { together } from "@talosmith/lab/talos/config/values.ts";
import type { Disk } from "@talosmith/lab/talos/state.ts";
import { type WrongConfig, wrongConfigs } from "@talosmith/lab/talos/testing/wrong-configs.ts";
import { oddConfigs } from "./odd-configs.ts";

/** What a node says to a config: the same as the oracle prints. */
export interface Said {
  name: string;
  load: string;
  validate: string;
  runtime: string;
  warnings: string[];
}

/** As the oracle's node has them. */
const disks = [
  ["sda", 20],
  ["sdb", 100],
].map(
  ([device, gib]): Disk => ({
    device: String(device),
    size: Number(gib) * 2 ** 30,
    model: "QEMU HARDDISK",
    serial: `serial-${device}`,
    transport: "virtio",
    cdrom: false,
    rotational: true,
  }),
);

export function said({ name, mode, text }: WrongConfig, version: string): Said {
  const silent: Said = { name, load: "", validate: "", runtime: "", warnings: [] };
  const platform = mode === "cloud" ? "cloud" : "metal";
  const node = { name: platform, requiresInstall: mode === "metal", version, disks };
  try {
    const documents = readDocuments(text, Number(version.split(".")[1]));
    const [fixed, runtime] = [staticVerdict(documents, node), runtimeVerdict(documents, node)];
    return {
      ...silent,
      validate: fixed.problems.length > 0 ? together(fixed.problems) : "",
      runtime: runtime.problems.length > 0 ? together(runtime.problems) : "",
      warnings: [...fixed.warnings, ...runtime.warnings],
    };
  } catch (error) {
    if (error instanceof ConfigRefused) return { ...silent, load: error.message };
    throw error;
  }
}

/** `cases FOLDER BASES` writes the configs to ask about, `answers FILE VERSION` prints what the lab says to those in a file. */
const [, , what, place = "", more = ""] = process.argv;
if (what === "cases") {
  writeFileSync(`${place}/wrong.json`, JSON.stringify(wrongConfigs));
  writeFileSync(`${place}/odd.json`, JSON.stringify(oddConfigs(more, 20_261_116, process.env.FULL === undefined ? 500 : 2000)));
} else if (what === "answers") {
  const cases = JSON.parse(readFileSync(place, "utf8")) as WrongConfig[];
  process.stdout.write(JSON.stringify(cases.map((one) => said(one, more))));
}
