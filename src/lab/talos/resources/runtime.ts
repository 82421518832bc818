import { MachineStatusEvent_MachineStage as MachineStage } from "../../../../gen/machine/machine_pb.js";
import { statusOf } from "../machine/status.ts";
import type { Layout } from "./layout.ts";
import { described, type ResourceType } from "./resource.ts";

const STAGES = Object.fromEntries(
  Object.entries(MachineStage)
    .filter(([, number]) => typeof number === "number")
    .map(([name, number]) => [name.toLowerCase().replace("_", " "), number as number]),
);

const STATUS: Layout = [
  [1, "ready", "bool"],
  [
    2,
    "unmetConditions",
    {
      messages: [
        [1, "name", "string"],
        [2, "reason", "string"],
      ],
    },
  ],
];

const METADATA: Layout = [
  [1, "name", "string"],
  [2, "version", "string"],
  [3, "author", "string"],
  [4, "description", "string"],
  [5, "compatibility", { message: [[1, "talos", { message: [[1, "version", "string"]] }]] }],
  [6, "extraInfo", "string"],
];

/** Namespace runtime, and what lies beside it. */
export const runtimeTypes: readonly ResourceType[] = [
  described(
    { type: "MachineStatuses.runtime.talos.dev", namespace: "runtime" },
    [
      [1, "stage", { numbers: STAGES }],
      [2, "status", { message: STATUS }],
    ],
    ({ lab, machine }) => {
      const { stage, ready, unmet } = statusOf(lab, machine);
      return [["machine", { stage, status: { ready, unmetConditions: unmet } }]];
    },
  ),
  described(
    { type: "Versions.runtime.talos.dev", namespace: "runtime" },
    [
      [1, "version", "string"],
      [2, "name", "string"],
    ],
    ({ boot }) => [["version", { name: "Talos", version: boot.system.version }]],
  ),
  described(
    { type: "Services.v1alpha1.talos.dev", namespace: "runtime", aliases: ["svc", "services", "service"] },
    [
      [1, "running", "bool"],
      [2, "healthy", "bool"],
      [3, "unknown", "bool"],
    ],
    ({ boot }) =>
      Object.entries(boot.services)
        .filter(([, service]) => service.state === "Running")
        .map(([id, { healthy }]) => [id, { running: true, healthy: healthy === true, unknown: healthy === undefined }]),
  ),
  described(
    { type: "ExtensionStatuses.runtime.talos.dev", namespace: "runtime", aliases: ["extensions"] },
    [
      [1, "image", "string"],
      [2, "metadata", { message: METADATA }],
    ],
    ({ boot }) => [
      [
        "0",
        {
          image: "000.ghcr.io-siderolabs-schematic.sqsh",
          metadata: {
            name: "schematic",
            version: boot.system.schematic,
            author: "Image Factory",
            description: "Virtual extension which specifies the schematic of the image built with Image Factory.",
            compatibility: { talos: { version: ">= 1.0.0" } },
          },
        },
      ],
    ],
  ),
  described(
    { type: "Diagnostics.runtime.talos.dev", namespace: "runtime" },
    [
      [1, "message", "string"],
      [2, "details", "strings"],
    ],
    () => [],
  ),
  described(
    { type: "TimeStatuses.v1alpha1.talos.dev", namespace: "runtime" },
    [
      [1, "synced", "bool"],
      [2, "epoch", "uint"],
      [3, "syncDisabled", "bool"],
    ],
    () => [["node", { synced: true, epoch: 1, syncDisabled: false }]],
  ),
  described(
    { type: "PlatformMetadatas.talos.dev", namespace: "runtime" },
    [
      [1, "platform", "string"],
      [2, "hostname", "string"],
      [6, "instanceId", "string"],
    ],
    ({ boot, machine }) => [
      [
        "platformmetadata",
        {
          platform: boot.system.platform,
          ...(machine.platform.hostname !== undefined && { hostname: machine.platform.hostname }),
        },
      ],
    ],
  ),
  described(
    { type: "SystemInformations.hardware.talos.dev", namespace: "hardware" },
    [
      [1, "manufacturer", "string"],
      [2, "productName", "string"],
      [4, "serialnumber", "string"],
      [5, "uuid", "string"],
    ],
    ({ machine }) => {
      const { uuid, manufacturer, product } = machine.hardware;
      return [["systeminformation", { manufacturer, productName: product, uuid }]];
    },
  ),
];
