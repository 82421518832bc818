/** Server providers and how to enter their rescue systems (docs/facts/ssh-and-rented-servers.md#rescue-systems), from each provider's own pages. Pure data. */
export interface VpsProvider {
  readonly title: string;
  /** The user's steps, in order. */
  readonly enterRescue: readonly string[];
  /** The equivalent API calls. */
  readonly api?: string;
  readonly login: string;
  /** The device names of the server's disk in the rescue system, with their peculiarities. */
  readonly disks: string;
  /** The provider's firewall; absent when none is known. */
  readonly firewall?: ProviderFirewallFacts;
  readonly notes: readonly string[];
}

export interface ProviderFirewallFacts {
  readonly where: string;
  /** Whether the firewall tracks connections, so that responses need no rule. "tcp": only for TCP. */
  readonly answers: "tracked" | "tcp tracked" | "not tracked" | "not documented";
  /** The most rules of one firewall; absent: not documented. */
  readonly mostRules?: number;
  /** Whether every rule has exactly one source. */
  readonly oneSource: boolean;
  readonly families: "both" | "IPv4";
  /** Rules to enter in addition, in the provider's terms. */
  readonly besides: readonly string[];
  readonly notes: readonly string[];
}

export type VpsProviderName = "hetzner" | "hetzner-robot" | "ovh" | "contabo" | "netcup" | "other";

export const VPS_PROVIDERS: Readonly<Record<VpsProviderName, VpsProvider>> = {
  hetzner: {
    title: "Hetzner Cloud",
    enterRescue: [
      "console, project, server, Rescue: choose linux64 and your SSH key, Enable rescue & power cycle",
      "with vps.provider.token, talosmith does this itself",
    ],
    api: "POST /servers/{id}/actions/enable_rescue {type: linux64, ssh_keys: [id]}, then /actions/reset, or /actions/poweron when it is off",
    login: "root, with the SSH key or the password that is shown once",
    disks: "/dev/sda",
    firewall: {
      where: "console, project, Firewalls",
      answers: "tracked",
      mostRules: 50,
      oneSource: false,
      families: "both",
      besides: [],
      notes: [
        "a rule has at most 100 sources, a firewall 500 in all; a server at most 5 firewalls",
        "a firewall without rules blocks all incoming traffic; the rules of several firewalls on a server add up",
        "only public addresses are filtered, private networks are not",
      ],
    },
    notes: [
      "enabling the rescue system does not restart the server, and lasts for 60 minutes or until the next start",
      "a server is locked for some seconds after each action",
      "cx and cpx servers start with BIOS or UEFI; cax servers are arm64 with UEFI",
    ],
  },
  "hetzner-robot": {
    title: "Hetzner Robot",
    enterRescue: [
      "Robot, server, Rescue: choose Linux and your SSH key, Activate rescue system",
      "Robot, server, Reset: Execute an automatic hardware reset",
    ],
    api: "POST /boot/{server-number}/rescue with os=linux&authorized_key=<fingerprint>, then POST /reset/{server-number} with type=hw",
    login: "root, with the SSH key or the password that is shown once",
    disks: "/dev/nvme0n1 or /dev/sda, often two disks of a former RAID: stop it first with mdadm --stop",
    firewall: {
      where: "Robot, server, Firewall",
      answers: "not tracked",
      mostRules: 10,
      oneSource: true,
      families: "both",
      besides: [
        "tcp to ports 32768-65535 with the flag ack, from anywhere: responses to connections of the server",
        "udp to ports 32768-65535 from source port 53, from anywhere: DNS responses",
        "udp to ports 32768-65535 from source port 123, from anywhere: NTP responses",
      ],
      notes: [
        "tick Hetzner Services: this allows its rescue system and resolvers",
        "IPv6 is filtered only when Filter IPv6 packets is on",
        "changes take effect after 20 to 30 seconds",
      ],
    },
    notes: ["BIOS or UEFI by model", "failed logins at its API block the source address"],
  },
  ovh: {
    title: "OVHcloud",
    enterRescue: [
      "VPS: control panel, the server, Boot: Reboot in rescue mode; dedicated: Boot, Rescue, then restart it",
      "the password comes by e-mail, or by a link in it; a dedicated server can use an SSH key instead",
    ],
    api: "VPS: PUT /vps/{name} {netbootMode: rescue}, POST /vps/{name}/reboot; afterwards netbootMode: local",
    login:
      "root, with the password from the e-mail (use it to add your key to /root/.ssh/authorized_keys); dedicated servers with a key",
    disks: "a VPS in rescue mode runs from /dev/sda: its own disk is usually /dev/sdb; select it by serial or size",
    firewall: {
      where: "control panel, Network, Public IP addresses, the address, Edge Network Firewall",
      answers: "not tracked",
      mostRules: 20,
      oneSource: true,
      families: "IPv4",
      besides: [
        "priority 0: authorise TCP with the option established, from anywhere: responses to connections of the server",
        "authorise UDP from source port 53, from anywhere: DNS responses",
        "authorise UDP from source port 123, from anywhere: NTP responses",
        "priority 19, the last: refuse IPv4 from anywhere",
      ],
      notes: [
        "each address has its own firewall, for IPv4 only",
        "traffic from inside the OVHcloud network is not filtered",
        "UDP fragments are dropped",
      ],
    },
    notes: ["set the boot mode back to the local disk, or the next start boots the rescue system again"],
  },
  contabo: {
    title: "Contabo",
    enterRescue: ["customer panel, the server, Rescue system: choose a password or an SSH key, start it"],
    api: "POST /v1/compute/instances/{id}/actions/rescue with the header x-request-id",
    login: "root, with the chosen password or a key",
    disks: "/dev/sda; the rescue system mounts it: unmount it first",
    firewall: {
      where: "customer panel, Network Services, Firewalling",
      answers: "not documented",
      oneSource: false,
      families: "both",
      besides: [],
      notes: ["VPS and VDS only; only incoming traffic is filtered, and without rules all of it is blocked"],
    },
    notes: ["addresses are often static: give prefix and gateway"],
  },
  netcup: {
    title: "netcup",
    enterRescue: ["Server Control Panel, the server, Media, Rescue system: activate it and restart; the password is shown there"],
    login: "root, with the password that is shown",
    disks: "/dev/vda or /dev/sda, depending on the driver chosen in the panel; virtio-scsi with UEFI is the safe choice",
    firewall: {
      where: "Server Control Panel, the server, Firewall: policies",
      answers: "tcp tracked",
      oneSource: false,
      families: "both",
      besides: [
        "INGRESS udp from source ports 53 and 123, from anywhere: DNS and NTP responses",
        "EGRESS udp from each allowed udp port, to anywhere: its responses",
      ],
      notes: ["servers of generation 12 and later"],
    },
    notes: ["with BIOS or another disk driver Talos may not find its disk at the first start"],
  },
  other: {
    title: "this provider",
    enterRescue: ["the provider's panel: start the server's rescue system with your SSH key"],
    login: "usually root, with a key or a password",
    disks: "select it by serial or size: device names may differ in a rescue system",
    notes: [],
  },
};
