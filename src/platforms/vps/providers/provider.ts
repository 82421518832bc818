import type { AnyStep, Read, Ref, Write } from "../../../engine/step.ts";
import type { VpsNodeConfig } from "../config/config-on-vps.ts";

/** A provider of servers, as far as its API allows. */
export interface Provider {
  /** Its display name: "Hetzner Cloud". */
  readonly name: string;
  /** Finds the server of a node; fails when there is none or more than one. */
  server(node: VpsNodeConfig, c: Read): Promise<ProviderServer>;
  /** Restarts a server into its rescue system, with the SSH keys that `ssh` uses. Resolves when the action has ended, not when the server answers. */
  enterRescue(server: ProviderServer, c: Write): Promise<void>;
  /** Makes the next start one from the disk. */
  leaveRescue(server: ProviderServer, c: Write): Promise<void>;
  /** The provider's own firewall for the servers. */
  readonly firewall: ProviderFirewall;
  calls(): number;
  close(): void;
}

export interface ProviderFirewall {
  /** In the stage provision, before any machine. */
  steps(): AnyStep[];
  /** The steps that a machine waits for. */
  ready(): readonly Ref<unknown>[];
  /** Removes all of this environment's firewalls, `after` the machines are wiped. */
  removal(environment: string, after: readonly Ref<unknown>[]): AnyStep[];
}

export interface ProviderServer {
  /** In the provider's own words. */
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** Whether its next start is into the rescue system. Only a login shows whether it runs one now. */
  readonly inRescue: boolean;
}
