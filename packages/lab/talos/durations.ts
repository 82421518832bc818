/** How long operations take on a small machine with an ordinary disk and network, in virtual milliseconds. */
export const durations = {
  /** Firmware, boot loader, kernel, network: until Talos knows whether it has a config. */
  boot: 20_000,
  /** From the config until the Talos API requires certificates. */
  configured: 15_000,
  /** From the config until the API of maintenance mode is closed. */
  leavesMaintenance: 3_000,
  /** From the boot until the Talos API is up, when the config is found on the disk. */
  configuredBoot: 6_000,
  /** Pulling the installer image and writing the disk. */
  install: 40_000,
  /** From the decision to go down until the machine starts booting. */
  rebootDown: 5_000,
  shutdownDown: 4_000,
  /** Wiping partitions. */
  wipe: 3_000,
  /** After the start of the boot sequence. */
  services: { machined: 500, containerd: 1_000, udevd: 1_500, auditd: 500, syslogd: 500, dashboard: 2_000, cri: 4_000 },
  kubeletImage: 5_000,
  etcdImage: 4_000,
  /** From a machine's request to join etcd until it is a learner. */
  etcdJoin: 6_000,
  /** Until its container has started and announced its name. */
  etcdStart: 2_000,
  /** Talos requests promotion at once, which is too early, and then every 15 s. */
  etcdPromote: 15_000,
  /** Pulling the images of the control plane's static pods. */
  staticPods: 8_000,
  /** Time until a virtual address has a new holder: after a release, and after a failure. */
  vipHandOver: 2_000,
  vipFailOver: 30_000,
  /** From the response to a network change until the firewall's chains are stored, and until the kernel has applied everything. */
  networkAnnounced: 1_000,
  networkInForce: 3_000,
  /** Default lifetime of a tried config (docs/facts/talos.md#applying-a-config). */
  tryConfig: 60_000,
} as const;
