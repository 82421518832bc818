const MiB = 1024 ** 2;
const SECOND = 1000;

/** How long things take on a small, healthy cluster, in virtual milliseconds. */
export const durations = {
  /** Delay of the response to a failed login (docs/facts/proxmox.md#status-codes). */
  refusedLogin: 3 * SECOND,
  config: 0.2 * SECOND,
  allocate: 0.5 * SECOND,
  cloudInitDrive: 0.5 * SECOND,
  start: 2 * SECOND,
  stop: 1 * SECOND,
  /** Time in which a guest shuts down on request. */
  shutdown: 8 * SECOND,
  /** Time until an unresponsive agent counts as not running (docs/facts/proxmox.md#guest-agent). */
  agentPing: 3 * SECOND,
  reset: 0.2 * SECOND,
  /** Time between the end of a reboot task and the machine running again (docs/facts/proxmox.md#power). */
  restartAfterReboot: 1 * SECOND,
  /** Time until high availability acts on a request. */
  highAvailability: 10 * SECOND,
  /** In addition to the time for its volumes. */
  destroy: 1 * SECOND,
  /** The storage is locked during this time. */
  freeVolume: 0.3 * SECOND,
  resize: 0.4 * SECOND,
  linkedClone: 1 * SECOND,
  template: 1 * SECOND,
  snapshot: 1 * SECOND,
  removeVolume: 1 * SECOND,
  migrate: 2 * SECOND,
  /** Time from the stop of a host's services until they answer again. */
  hostBoot: 90 * SECOND,
  /** Time between two broadcasts of a host's status. */
  broadcast: 10 * SECOND,
  download: (bytes: number) => atLeast(4, bytes / (100 * MiB)),
  upload: (bytes: number) => atLeast(1, bytes / (200 * MiB)),
  import: (bytes: number) => atLeast(3, bytes / (300 * MiB)),
  fullClone: (bytes: number) => atLeast(3, bytes / (1000 * MiB)),
  migrateDisk: (bytes: number) => atLeast(3, bytes / (500 * MiB)),
};

function atLeast(floor: number, needed: number): number {
  return Math.round(Math.max(floor, needed) * SECOND);
}
