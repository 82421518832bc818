import type { KnownRefusal } from "../kernel/kernel.ts";

/** gRPC codes and messages of apid and machined (docs/facts/talos.md#error-codes). */
export const refusals = {
  unavailable: { status: 14, message: "transport is closing", when: "the node is rebooting" },
  "connection-refused": {
    status: 14,
    message: 'connection error: desc = "transport: Error while dialing: dial tcp: connect: connection refused"',
    when: "a control plane forwards the call to a node that is unreachable",
  },
  eof: { status: 14, message: "error reading from server: EOF", when: "machined is restarting behind apid" },
  "deadline-exceeded": {
    status: 4,
    message: "context deadline exceeded",
    when: "a node to which the call was forwarded took too long",
  },
  canceled: { status: 1, message: "grpc: the client connection is closing", when: "a certificate is rotated" },
  "not-authorized": {
    status: 7,
    message: "not authorized",
    when: "the role of the client's certificate does not allow the call",
  },
  "no-forwarding": { status: 7, message: "no request forwarding", when: "a worker is asked to forward a call" },
  "resource-unknown": {
    status: 7,
    message: 'resource type "MountStatuses.runtime.talos.dev" is not supported',
    when: "this Talos version does not have the resource",
  },
  "bootstrap-not-yet": { status: 9, message: "bootstrap is not available yet", when: "containerd is not up" },
  "time-not-synced": { status: 9, message: "time is not in sync yet", when: "no time server has answered" },
  "etcd-not-empty": { status: 6, message: "etcd data directory is not empty", when: "the node already has etcd data" },
  "recovery-not-yet": {
    status: 9,
    message: "etcd service is not ready for recovery yet",
    when: "etcd is not waiting for a snapshot",
  },
  "apply-in-progress": {
    status: 9,
    message: "another apply configuration is already in progress",
    when: "two clients send a config at the same time",
  },
  "config-invalid": {
    status: 3,
    message: 'configuration validation failed: 1 error occurred:\n\t* install instructions are required in "metal" mode\n\n',
    when: "the config is invalid",
  },
  "config-unparsed": {
    status: 2,
    message: "failed to parse config: unknown keys found during decoding",
    when: "the config is invalid, on 1.12 in maintenance mode",
  },
  "etcd-unhealthy": { status: 2, message: "etcdserver: unhealthy cluster", when: "a member would leave or join without quorum" },
  "etcd-no-leader": { status: 14, message: "etcdserver: no leader", when: "etcd is electing a leader" },
  "etcd-timeout": { status: 14, message: "etcdserver: request timed out", when: "etcd's disk is slow, or quorum is lost" },
  "meta-full": { status: 8, message: "meta write failed", when: "the META partition is full" },
  "not-installed": { status: 9, message: "Talos is not installed", when: "the node to upgrade runs from memory" },
  "maintenance-only": {
    status: 12,
    message: "API is not implemented in maintenance mode",
    when: "the node is in maintenance mode with 1.12",
  },
} as const satisfies Record<string, KnownRefusal>;
