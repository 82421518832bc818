/** How long things take, in virtual milliseconds: what a small machine with an ordinary disk and network needs. */
export const durations = {
  /** Firmware, boot loader, kernel, network: until Talos knows whether it has a config. */
  boot: 20_000,
  /** From a config to a Talos API that asks for certificates. */
  configured: 15_000,
  /** From a config until the API of maintenance mode is gone. */
  leavesMaintenance: 3_000,
  /** The same when the config is found on the disk. */
  configuredBoot: 6_000,
  /** Installer image pulled, disk written. */
  install: 40_000,
  /** From the decision to go down until the machine begins to boot. */
  rebootDown: 5_000,
  shutdownDown: 4_000,
  /** Wiping partitions. */
  wipe: 3_000,
  /** After the boot sequence has begun. */
  services: { machined: 500, containerd: 1_000, udevd: 1_500, auditd: 500, syslogd: 500, dashboard: 2_000, cri: 4_000 },
  kubeletImage: 5_000,
  etcdImage: 4_000,
  /** A machine asks to be let into etcd, and is let in as a learner. */
  etcdJoin: 6_000,
  /** Its container starts, and it tells the others its name. */
  etcdStart: 2_000,
  /** Talos asks for the vote at once, which is too early, and then every 15 s. */
  etcdPromote: 15_000,
  /** Images of the control plane's static pods. */
  staticPods: 8_000,
  /** A virtual address after its holder said goodbye, and after it fell silent. */
  vipHandOver: 2_000,
  vipFailOver: 30_000,
  /** From the answer to a call that changes the network until the chains of a firewall are written down, and until the kernel has all of it. */
  networkAnnounced: 1_000,
  networkInForce: 3_000,
  /** How long a tried config lives when the caller does not say (docs/facts/talos.md#applying-a-config). */
  tryConfig: 60_000,
} as const;
