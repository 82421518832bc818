import type { Lab, PlainEndpoint, Service } from "../kernel/kernel.ts";
import { proxmoxState } from "../proxmox/state.ts";
import { converse } from "./conversation.ts";
import { fingerprintOf, openSshKey } from "./open-ssh-key.ts";
import { refusals } from "./refusals.ts";
import { type Bootloader, hasProxmox, SERVICE, type SshState, sshState } from "./state.ts";
import { strikes } from "./strikes.ts";

/** Not 22: that needs root, and may be taken on all addresses by the machine's own. */
const SSH_PORT = 2222;

export interface SshOptions {
  hosts?: readonly { name: string; last: number; bootloader?: Bootloader }[];
  /** GRUB starts those that are not named. */
  bootloaders?: Readonly<Record<string, Bootloader>>;
  port?: number;
  /** The same as Proxmox's, where root@pam is the system's root. */
  rootPassword?: string;
}

/** As the lab's Proxmox places them, where there is none. */
const HOSTS: NonNullable<SshOptions["hosts"]> = [
  { name: "pve1", last: 1 },
  { name: "pve2", last: 201 },
  { name: "pve3", last: 202 },
];

function hostsOf(lab: Lab, { hosts, bootloaders = {} }: SshOptions): NonNullable<SshOptions["hosts"]> {
  if (hosts || !hasProxmox(lab)) return hosts ?? HOSTS;
  return proxmoxState(lab).hosts.map(({ name, address }) => {
    const bootloader = bootloaders[name];
    return { name, last: Number(address.split(".").at(-1)), ...(bootloader && { bootloader }) };
  });
}

/** OpenSSH on the lab's Proxmox hosts: the way to machines that are in a network of their own. */
export function sshService(options: SshOptions = {}): Service {
  const port = options.port ?? SSH_PORT;
  return {
    name: SERVICE,
    initial: (lab): SshState => ({
      hosts: hostsOf(lab, options).map(({ name, last, bootloader = "grub" }) => ({ name, last, bootloader })),
      password: options.rootPassword ?? "proxmox-lab",
    }),
    endpoints: async (lab) => {
      const state = sshState(lab);
      for (const host of state.hosts) host.hostKey ??= openSshKey(await lab.world.keys.ed25519(), `root@${host.name}`);
      state.userKey ??= openSshKey(await lab.world.keys.ed25519(), "talosmith lab");
      return state.hosts.map(
        ({ name, last }): PlainEndpoint => ({
          host: lab.address.host(last),
          port,
          accept: (socket) => converse(lab, name, socket),
        }),
      );
    },
    refusals,
    strikes,
    publish: (lab) => {
      const { hosts, userKey } = sshState(lab);
      const [first] = hosts;
      const hostKey = first?.hostKey?.publicKey ?? "";
      return {
        host: lab.address.host(first?.last ?? 1),
        port: String(port),
        user: "root",
        key: userKey?.privateKey ?? "",
        hostKey,
        fingerprint: fingerprintOf(hostKey),
      };
    },
  };
}
