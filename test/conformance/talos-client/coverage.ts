import type { DescMessage } from "@bufbuild/protobuf";
import { messagesOf, theirName } from "./protos.ts";

/** What a client that plays with healthy machines never meets, and why. Everything else of packages/wire/protos must have gone over the wire. */
const NEVER: Record<string, string> = {
  "common.Error.code": "that of a sequence that failed is zero",
  "common.Error.details": "Talos puts nothing there",
  "google.rpc.Status.details": "Talos puts nothing there",
  "cosi.resource.Metadata.finalizers":
    "what a resource waits for before it goes is between controllers, which the lab has none of",
  "cosi.resource.Event.error": "comes when a watcher has missed a thousand events",
  "machine.ConfigLoadErrorEvent":
    "comes when a platform hands over a config that cannot be read; lab machines get theirs through the API",
  "machine.ConfigLoadErrorEvent.error": "as above",
  "machine.ConfigValidationErrorEvent": "as above",
  "machine.ConfigValidationErrorEvent.error": "as above",
  "machine.FileInfo.error": "every file of the lab can be read",
  "machine.FileInfo.uid": "every file is root's, whose number is zero",
  "machine.FileInfo.gid": "as above",
  "machine.DiskUsageInfo.error": "as above",
  "machine.ContainerInfo.network_namespace": "of pods, and this lab has no Kubernetes",
  "machine.ContainerInfo.uid": "as above",
  "machine.ContainerInfo.image": "as above; Talos's own containers have none",
  "machine.ConnectRecord.uid": "every socket is root's, whose number is zero",
  "machine.ConnectRecord.netns": "pods have networks of their own, and this lab has no Kubernetes",
  "machine.NetstatRequest.NetNS.netns": "as above",
  "machine.NetstatRequest.NetNS.allnetns": "as above",
  "inspect.ControllerDependencyEdge.edge_type": "the lab's controllers only write, whose number is zero",
  "inspect.ControllerRuntimeDependency.metadata": "comes with several nodes, which talosctl refuses to ask",
  "inspect.ControllerDependencyEdge.resource_id": "the lab's controllers write all of a type",
  "machine.VersionInfo.built": "empty in Talos's own releases",
  "storage.Disk.uuid": "disks of virtual machines have none",
};

/** Comes and goes faster than a client can be sure to see it: a member learns for a moment. */
const LUCK = ["machine.EtcdMember.is_learner", "machine.EtcdMemberStatus.is_learner"];

/** Fields of packages/wire/protos that were never set in a message that was sent or received, and those of `NEVER` that were. */
export function neverSeen(names: readonly string[], minor: number): { missing: string[]; reached: string[] } {
  const seen = new Set(names);
  const wanted = messagesOf(minor).flatMap((of: DescMessage) => [
    theirName(of),
    ...of.fields.map((field) => `${theirName(of)}.${field.name}`),
  ]);
  return {
    missing: wanted.filter((name) => !seen.has(name) && !(name in NEVER) && !LUCK.includes(name)),
    reached: Object.keys(NEVER).filter((name) => seen.has(name)),
  };
}
