import type { DescFile, DescMessage } from "@bufbuild/protobuf";
import { file_cluster_cluster } from "@talosmith/wire/gen/cluster/cluster_pb.js";
import { file_common_common } from "@talosmith/wire/gen/common/common_pb.js";
import { file_cosi_resource_resource } from "@talosmith/wire/gen/cosi/resource/resource_pb.js";
import { file_cosi_resource_state } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import { file_google_rpc_status } from "@talosmith/wire/gen/google/rpc/status_pb.js";
import { file_inspect_inspect } from "@talosmith/wire/gen/inspect/inspect_pb.js";
import { file_machine_image } from "@talosmith/wire/gen/machine/image_pb.js";
import { file_machine_machine } from "@talosmith/wire/gen/machine/machine_pb.js";
import { file_resource_definitions_config_config } from "@talosmith/wire/gen/resource/definitions/config/config_pb.js";
import { file_storage_storage } from "@talosmith/wire/gen/storage/storage_pb.js";
import { file_time_time } from "@talosmith/wire/gen/time/time_pb.js";

/** Everything in packages/wire/protos. */
export const FILES: readonly DescFile[] = [
  file_cluster_cluster,
  file_common_common,
  file_cosi_resource_resource,
  file_cosi_resource_state,
  file_google_rpc_status,
  file_inspect_inspect,
  file_machine_image,
  file_machine_machine,
  file_resource_definitions_config_config,
  file_storage_storage,
  file_time_time,
];

/** What came with 1.13. */
const SINCE_13 = /^(machine\.ImageService|common\.ContainerdInstance)/;

/** Whether a Talos of this minor has a message or a service. */
export function isIn(minor: number, { typeName }: { typeName: string }): boolean {
  return minor >= 13 || !SINCE_13.test(typeName);
}

/** Every message in them that a Talos of this minor has, with those inside of others. */
export function messagesOf(minor: number): DescMessage[] {
  const inside = (message: DescMessage): DescMessage[] => [message, ...message.nestedMessages.flatMap(inside)];
  return FILES.flatMap((file) => file.messages.flatMap(inside)).filter((message) => isIn(minor, message));
}

/** What Talos calls by another name; it is never sent under its own, only inside of a resource. */
const THEIR_NAMES: Record<string, string> = {
  "talos.resource.definitions.config.MachineConfigSpec": "resource.config.MachineConfigSpec",
};

export function theirName({ typeName }: DescMessage): string {
  return THEIR_NAMES[typeName] ?? typeName;
}
