import { remoteError } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../config/config.ts";
import type { Environment } from "../../environment/environment.ts";
import type { MachineFacts } from "../../platforms/platform.ts";
import type { Hardware } from "../../talos/api/talos-nodes.ts";

/**
 * Checks a machine's hardware against the platform's facts before its config is sent: a node without a config has no identity, and the config contains
 * all secrets of the cluster.
 */
export function sameMachine(env: Environment, node: NodeConfig, facts: MachineFacts, hardware: Hardware): void {
  const serials = hardware.disks.flatMap((disk) => disk.serial ?? []);
  // Talos may show no serial for a disk; when no other fact is known, a missing serial is no proof.
  const showsSerials = serials.length > 0 || (facts.uuid === undefined && facts.mac === undefined);
  const differing = [
    ...(facts.uuid !== undefined && facts.uuid !== hardware.uuid
      ? [`its firmware says uuid ${hardware.uuid ?? "none"}, the platform says ${facts.uuid}`]
      : []),
    ...(facts.mac !== undefined && !hardware.macs.includes(facts.mac)
      ? [`its network cards are ${hardware.macs.join(", ") || "unknown"}, expected ${facts.mac}`]
      : []),
    ...(facts.diskSerial !== undefined && showsSerials && !serials.includes(facts.diskSerial)
      ? [`its disks have the serials ${serials.join(", ") || "none"}, expected ${facts.diskSerial}`]
      : []),
  ];
  if (differing.length === 0) return;
  const where = env.where(["nodes", node.name, "ip"]);
  throw remoteError("WRONG_MACHINE", {
    message: `Unable to apply the config of ${node.name}: the machine at ${node.ip} is a different one`,
    detail: differing.join("\n"),
    hint: `another machine uses the address ${node.ip}, or mac or installDisk is wrong in the config. Nothing was sent to it.`,
    ...(where && { where }),
  });
}
