import { type MachineConfig, value } from "../config/machine-config.ts";

const OWN = "127.0.0.53";
/** Where pods reach it. */
const FOR_PODS = "169.254.116.108";

/** The resolver of a node: whether the config wants one, and where it listens. */
export function hostDns(config: MachineConfig | undefined): { enabled: boolean; addresses: string[] } {
  const wants = (key: string) => config !== undefined && value(config, `machine.features.hostDNS.${key}`) === true;
  return { enabled: wants("enabled"), addresses: [OWN, ...(wants("forwardKubeDNSToHost") ? [FOR_PODS] : [])] };
}
