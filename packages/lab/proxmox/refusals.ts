import type { KnownRefusal } from "../kernel/kernel.ts";

/** Literal error texts of Proxmox (docs/facts/proxmox.md#status-codes, locks and property strings). */
export const refusals = {
  "no-ticket": { status: 401, message: "No ticket", when: "the call has no credentials" },
  "bad-token": { status: 401, message: "Authentication failed!", when: "the token is wrong, expired or deleted" },
  "bad-token-8": { status: 401, message: "invalid token value!", when: "as bad-token, in older releases" },
  forbidden: {
    status: 403,
    message: "Permission check failed (/vms/100, VM.Allocate)",
    when: "a privilege is missing",
  },
  "root-only": {
    status: 403,
    message: "Permission check failed (user != root@pam)",
    when: "the call requires root itself, not a token of root",
  },
  "bad-parameter": { status: 400, message: "Parameter verification failed.", when: "a parameter violates the schema" },
  "got-timeout": { status: 500, message: "got timeout", when: "something on the host took too long" },
  "lock-timeout": {
    status: 500,
    message: "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout",
    when: "another task holds the lock of the machine's config",
  },
  "storage-lock-timeout": {
    status: 500,
    message: "can't lock file '/var/lock/pve-manager/pve-storage-local-lvm' - got timeout",
    when: "another task allocates on the storage",
  },
  "cluster-lock-timeout": {
    status: 500,
    message: "cfs-lock 'storage-shared' error: got lock request timeout",
    when: "another host allocates on a shared storage",
  },
  "vm-locked": { status: 500, message: "VM is locked (clone)", when: "a task left its lock behind, or is still running" },
  "no-quorum": { status: 500, message: "cluster not ready - no quorum?", when: "most hosts of the cluster are unreachable" },
  "lock-no-quorum": {
    status: 500,
    message: "cfs-lock 'file-user_cfg' error: no quorum!",
    when: "as no-quorum, for shared configuration such as users",
  },
  "no-space": {
    status: 500,
    message: "unable to open file - No space left on device",
    when: "the host's root file system is full",
  },
  "no-config": {
    status: 500,
    message: "Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist",
    when: "the machine was deleted, or is on another host",
  },
  "no-storage": { status: 500, message: "storage 'local-lvm' does not exist", when: "the storage is not defined" },
  "unknown-host": {
    status: 500,
    message: "hostname lookup 'pve2' failed - failed to get address info for: pve2: Name or service not known",
    when: "the cluster has no such host",
  },
  "not-implemented": { status: 501, message: "Method 'POST /nodes' not implemented", when: "the release does not have the call" },
  unavailable: { status: 503, message: "Service Unavailable", when: "a proxy in front of the API has no backend" },
  "no-route": { status: 595, message: "No route to host", when: "the target host of the call is off" },
  "host-refused": { status: 595, message: "Connection refused", when: "the target host of the call does not run the API" },
  "forward-timeout": { status: 596, message: "Connection timed out", when: "the target host of the call took more than 30 s" },
  "forward-tls": {
    status: 596,
    message: "tls_process_server_certificate: certificate verify failed",
    when: "the target host of the call has a certificate that the other hosts do not know",
  },
  "forward-reset": {
    status: 597,
    message: "Connection reset by peer",
    when: "the target host of the call closed the connection",
  },
  redirections: { status: 599, message: "Too many redirections", when: "hosts forward the call to each other" },
} as const satisfies Record<string, KnownRefusal>;
