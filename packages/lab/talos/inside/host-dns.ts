import { type MachineConfig, value } from "../config/machine-config.ts";

const OWN = "127.0.0.53";
/** The address for pods. */
const FOR_PODS = "169.254.116.108";

/** The resolver of a node: whether the config enables it, and its addresses. */
export function hostDns(config: MachineConfig | undefined): { enabled: boolean; addresses: string[] } {
  const wants = (key: string) => config !== undefined && value(config, `machine.features.hostDNS.${key}`) === true;
  return { enabled: wants("enabled"), addresses: [OWN, ...(wants("forwardKubeDNSToHost") ? [FOR_PODS] : [])] };
}
