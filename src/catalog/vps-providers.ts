/** Server providers and how to enter their rescue systems (docs/facts/ssh-and-rented-servers.md#rescue-systems), from each provider's own pages. Pure data. */
export interface VpsProvider {
  readonly title: string;
  /** What a person does, in this order. */
  readonly enterRescue: readonly string[];
  /** The same through its API, for who likes to. */
  readonly api?: string;
  readonly login: string;
  /** What its rescue system calls the server's disk, and what is odd about it. */
  readonly disks: string;
  /** Of the firewall before the servers; absent where nobody knows of one. */
  readonly firewall?: ProviderFirewallFacts;
  readonly notes: readonly string[];
}

export interface ProviderFirewallFacts {
  readonly where: string;
  /** Whether answers to what a server asks come in without a rule. "tcp": only those. */
  readonly answers: "tracked" | "tcp tracked" | "not tracked" | "not said";
  /** Of one firewall; absent = nobody says. */
  readonly mostRules?: number;
  /** Every rule has one source. */
  readonly oneSource: boolean;
  readonly families: "both" | "IPv4";
  /** What must be entered besides, in its own words. */
  readonly besides: readonly string[];
  readonly notes: readonly string[];
}

export type VpsProviderName = "hetzner" | "hetzner-robot" | "ovh" | "contabo" | "netcup" | "other";

export const VPS_PROVIDERS: Readonly<Record<VpsProviderName, VpsProvider>> = {
  hetzner: {
    title: "Hetzner Cloud",
    enterRescue: [
      "console, project, server, Rescue: choose linux64 and your SSH key, Enable rescue & power cycle",
      "with vps.provider.token this is done for you",
    ],
    api: "POST /servers/{id}/actions/enable_rescue {type: linux64, ssh_keys: [id]}, then /actions/reset, or /actions/poweron when it is off",
    login: "root, by the SSH key, or by the password that is shown once",
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
        "one without rules lets nothing in; several on a server add up",
        "only public addresses are filtered, private networks are not",
      ],
    },
    notes: [
      "to enable the rescue system restarts nothing, and it is forgotten after 60 minutes or at the first start",
      "right after an action a server is locked for seconds",
      "servers cx and cpx start with BIOS or UEFI, cax are arm64 and UEFI",
    ],
  },
  "hetzner-robot": {
    title: "Hetzner Robot",
    enterRescue: [
      "Robot, server, Rescue: choose Linux and your SSH key, Activate rescue system",
      "Robot, server, Reset: Execute an automatic hardware reset",
    ],
    api: "POST /boot/{server-number}/rescue with os=linux&authorized_key=<fingerprint>, then POST /reset/{server-number} with type=hw",
    login: "root, by the SSH key, or by the password that is shown once",
    disks: "/dev/nvme0n1 or /dev/sda, mostly two that were a RAID: stop it first with mdadm --stop",
    firewall: {
      where: "Robot, server, Firewall",
      answers: "not tracked",
      mostRules: 10,
      oneSource: true,
      families: "both",
      besides: [
        "tcp to ports 32768-65535 with the flag ack, from anywhere: answers to what the server asks",
        "udp to ports 32768-65535 from source port 53, from anywhere: names",
        "udp to ports 32768-65535 from source port 123, from anywhere: time",
      ],
      notes: [
        "tick Hetzner Services: its rescue system and resolvers are let in then",
        "IPv6 is filtered only when Filter IPv6 packets is on",
        "it takes 20 to 30 seconds to be in force",
      ],
    },
    notes: ["BIOS or UEFI by model", "wrong logins at its API block the address they come from"],
  },
  ovh: {
    title: "OVHcloud",
    enterRescue: [
      "VPS: control panel, the server, Boot: Reboot in rescue mode; dedicated: Boot, Rescue, then restart it",
      "the password comes by e-mail, or by a link in it; for a dedicated server an SSH key can be named instead",
    ],
    api: "VPS: PUT /vps/{name} {netbootMode: rescue}, POST /vps/{name}/reboot; afterwards netbootMode: local",
    login: "root, by the password of the e-mail (put your key into /root/.ssh/authorized_keys with it), dedicated by a key",
    disks: "a VPS in rescue runs from /dev/sda: its own disk is mostly /dev/sdb; name it by serial or size",
    firewall: {
      where: "control panel, Network, Public IP addresses, the address, Edge Network Firewall",
      answers: "not tracked",
      mostRules: 20,
      oneSource: true,
      families: "IPv4",
      besides: [
        "priority 0: authorise TCP with the option established, from anywhere: answers to what the server asks",
        "authorise UDP from source port 53, from anywhere: names",
        "authorise UDP from source port 123, from anywhere: time",
        "priority 19, the last: refuse IPv4 from anywhere",
      ],
      notes: [
        "each address has a firewall of its own, for IPv4 alone",
        "what comes from inside the OVHcloud network is not filtered",
        "fragments of UDP are dropped",
      ],
    },
    notes: ["set the boot mode back to the local disk, or the next start is the rescue system again"],
  },
  contabo: {
    title: "Contabo",
    enterRescue: ["customer panel, the server, Rescue system: choose a password or an SSH key, start it"],
    api: "POST /v1/compute/instances/{id}/actions/rescue with the header x-request-id",
    login: "root, by the password that was chosen, or a key",
    disks: "/dev/sda, which the rescue system mounts by itself: umount it first",
    firewall: {
      where: "customer panel, Network Services, Firewalling",
      answers: "not said",
      oneSource: false,
      families: "both",
      besides: [],
      notes: ["VPS and VDS alone; only what comes in is filtered, and without rules nothing does"],
    },
    notes: ["addresses are often static: give prefix and gateway"],
  },
  netcup: {
    title: "netcup",
    enterRescue: ["Server Control Panel, the server, Media, Rescue system: activate it and restart; the password is shown there"],
    login: "root, by the password that is shown",
    disks: "/dev/vda or /dev/sda, by the driver that is chosen in the panel; virtio-scsi with UEFI is the safe choice",
    firewall: {
      where: "Server Control Panel, the server, Firewall: policies",
      answers: "tcp tracked",
      oneSource: false,
      families: "both",
      besides: [
        "INGRESS udp from source ports 53 and 123, from anywhere: names and time",
        "EGRESS udp from each udp port that is let in, to anywhere: its answers",
      ],
      notes: ["servers of generation 12 and later"],
    },
    notes: ["with BIOS or another disk driver Talos may not find its disk at the first start"],
  },
  other: {
    title: "this provider",
    enterRescue: ["its panel: start the server's rescue system, and let your SSH key in"],
    login: "mostly root, by a key or a password",
    disks: "name it by serial or size: in a rescue system names may differ",
    notes: [],
  },
};
