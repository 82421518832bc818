import type { Json } from "../../../lib/json.ts";
import { configOf } from "../api/caller.ts";
import { textAt } from "../config/machine-config.ts";
import { talosState } from "../state.ts";
import { encodeBytes, encodeSpec } from "./layout.ts";
import { type Item, type ResourceType, yamlOf } from "./resource.ts";

const TYPES = { controlplane: 2, worker: 3 };

/** talos.md 4.6: the text as it was submitted, in YAML as one long string. */
function configItem(id: string, text: string): Item {
  return {
    id,
    yaml: yamlOf(text),
    proto: encodeBytes(1, Buffer.from(text)),
    annotations: { "talos.dev/yaml-spec": "" },
  };
}

export const configTypes: readonly ResourceType[] = [
  {
    type: "MachineConfigs.config.talos.dev",
    namespace: "config",
    sensitive: true,
    aliases: ["mc"],
    items: ({ lab, boot }) => {
      const stored = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk]?.config;
      return [
        ...(boot.config === undefined ? [] : [configItem("v1alpha1", boot.config)]),
        ...(stored === undefined ? [] : [configItem("persistent", stored)]),
        ...(boot.partial === undefined ? [] : [configItem("maintenance", boot.partial)]),
      ];
    },
  },
  {
    type: "MachineTypes.config.talos.dev",
    namespace: "config",
    items: (called) => {
      const config = configOf(called);
      if (!config) return [];
      const word: Json = textAt(config, "machine.type") ?? config.role;
      return [
        {
          id: "machine-type",
          yaml: yamlOf(word),
          proto: encodeSpec([[1, "machine_type", { numbers: TYPES }]], { machine_type: config.role }),
        },
      ];
    },
  },
];
