import { fingerprintOf } from "@talosmith/lab/hetzner/ssh-keys.ts";
import { HETZNER, type HetznerState, type Labels, type Rule, type SshKeyState } from "@talosmith/lab/hetzner/state.ts";
import { type StartedProject, startProject } from "@talosmith/lab/hetzner/testing/project.ts";
import type { RescueServer } from "@talosmith/lab/rescue/hosts.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { HetznerAccess } from "../hetzner/client.ts";

export interface HetznerProject extends StartedProject {
  access: HetznerAccess;
  /** The changes that were requested, in order: "POST /firewalls", "DELETE /firewalls/:id". */
  orders(): string[];
  firewalls(): ProjectFirewall[];
  keys(): readonly SshKeyState[];
  /** Registers a key as another process would, without a call. */
  addKey(name: string, publicKey: string): void;
  /** Runs `work` when the first call of this site arrives, before it is answered. */
  before(site: string, work: () => void): void;
  close(): Promise<void>;
}

interface ProjectFirewall {
  id: number;
  name: string;
  labels: Labels;
  rules: readonly Rule[];
  /** The names of its servers. */
  on: string[];
}

/** The lab's Hetzner Cloud with these servers; its time runs a thousand times as fast. */
export async function hetznerProject(...servers: Partial<RescueServer>[]): Promise<HetznerProject> {
  const started = await startProject(servers, realWorld(), 1000);
  const { lab, url, token } = started;
  const state = () => lab.state<HetznerState>(HETZNER);
  const nameOf = (id: number) => Object.entries(state().servers).find(([, server]) => server.id === id)?.[0] ?? String(id);
  return {
    ...started,
    access: { url, token: new Secret(token) },
    orders: () =>
      lab.recorder
        .calls()
        .filter(({ mutating }) => mutating)
        .map(({ site }) => site.replace("/v1", "")),
    firewalls: () =>
      lab.turn(() =>
        state().firewalls.map(({ servers, ...firewall }) => ({ ...firewall, on: servers.map(({ server }) => nameOf(server)) })),
      ),
    keys: () => state().sshKeys,
    addKey: (name, publicKey) => {
      const id = lab.serial("hetzner ssh key");
      state().sshKeys.push({ id, name, fingerprint: fingerprintOf(publicKey), publicKey, labels: {}, created: 0 });
    },
    before: (site, work) => {
      const { recorder } = lab;
      const begin = recorder.begin.bind(recorder);
      recorder.begin = (call) => {
        if (call.site === site) {
          recorder.begin = begin;
          work();
        }
        return begin(call);
      };
    },
    close: () => lab.close(),
  };
}
