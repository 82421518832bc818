import type { Lab } from "../kernel/kernel.ts";

/** How a provider's API switches rented servers; implemented by the rescue service. */
export interface RescueHosts {
  servers(lab: Lab): readonly RescueServer[];
  /** Whether the next start goes into the rescue system, and who may log in there then. That start uses it up. */
  rescueNext(lab: Lab, name: string, login: { keys: readonly string[]; password: string } | undefined): void;
  /** As the button on its front: off and on again at once. */
  reset(lab: Lab, name: string): void;
  powerOn(lab: Lab, name: string): void;
  powerOff(lab: Lab, name: string): void;
}

export interface RescueServer {
  name: string;
  /** As its owner knows it. */
  address: string;
  isOn: boolean;
  runs: "nothing" | "rescue" | "system" | "talos";
  rescueNext: boolean;
  arch: "amd64" | "arm64";
}
