import { configOf } from "../api/caller.ts";
import { talosState } from "../state.ts";
import { minorOf } from "../versions.ts";
import { encodeSpec, lengthDelimited } from "./encode.ts";
import { layout } from "./layout.ts";
import { yamlOf } from "./print.ts";
import type { Item, ResourceSource } from "./resource.ts";

/** The text as it was submitted; in YAML it is one long string (docs/facts/talos.md#resources). */
function configItem(id: string, text: string): Item {
  return {
    id,
    yaml: yamlOf(text),
    proto: lengthDelimited(1, Buffer.from(text)),
    annotations: { "talos.dev/yaml-spec": "1" },
  };
}

const TYPE = layout("1 machine_type machineType");

export const configSources: readonly ResourceSource[] = [
  {
    type: "MachineConfigs.config.talos.dev",
    owner: "",
    items: ({ lab, boot }) => {
      const stored = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk]?.config;
      // In 1.12, documents without machine and cluster are a separate config with another id.
      const partial = minorOf(boot.system.version) >= 13 ? "v1alpha1" : "maintenance";
      return [
        ...(boot.config === undefined ? [] : [configItem("v1alpha1", boot.config)]),
        ...(stored === undefined ? [] : [configItem("persistent", stored)]),
        ...(boot.partial === undefined ? [] : [configItem(partial, boot.partial)]),
      ];
    },
  },
  {
    type: "MachineTypes.config.talos.dev",
    owner: "config.MachineTypeController",
    items: (called) => {
      const config = configOf(called);
      if (!config) return [];
      const minor = minorOf(called.boot.system.version);
      return [
        {
          id: "machine-type",
          yaml: yamlOf(config.role),
          proto: encodeSpec(TYPE, { machine_type: config.role }, minor),
        },
      ];
    },
  },
];
