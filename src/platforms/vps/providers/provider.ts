import type { AnyStep, Read, Ref, Write } from "../../../engine/step.ts";
import type { VpsNodeConfig } from "../config/config-on-vps.ts";

/** Who rents the servers out, as far as its API reaches. */
export interface Provider {
  /** For a person: "Hetzner Cloud". */
  readonly name: string;
  /** Which of its servers a node is; fails when none or several are. */
  server(node: VpsNodeConfig, c: Read): Promise<ProviderServer>;
  /** Restarts a server into its rescue system, in which the keys that `ssh` uses are let in. Done when the order is carried out, not when it answers. */
  enterRescue(server: ProviderServer, c: Write): Promise<void>;
  /** The next start is from the disk. */
  leaveRescue(server: ProviderServer, c: Write): Promise<void>;
  /** What keeps strangers away from the servers before they are reached. */
  readonly firewall: ProviderFirewall;
  calls(): number;
  close(): void;
}

export interface ProviderFirewall {
  /** In the stage provision, before any machine. */
  steps(): AnyStep[];
  /** What a machine waits for. */
  ready(): readonly Ref<unknown>[];
  /** All that is there of this environment; `after` the machines are wiped, which are as open as before from then on. */
  removal(environment: string, after: readonly Ref<unknown>[]): AnyStep[];
}

export interface ProviderServer {
  /** In the provider's own words. */
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** Its next start goes into the rescue system. Whether it runs one now is seen by who logs in. */
  readonly inRescue: boolean;
}
