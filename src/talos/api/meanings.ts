import { Code } from "@connectrpc/connect";
import type { CallKind } from "./limits.ts";

/** The meaning of a node's refusal. */
export interface Meaning {
  readonly codes: readonly Code[];
  /** Parts of the message, one of which must match; absent: any message. */
  readonly says?: readonly string[];
  /** The kinds of calls it applies to; absent: all. */
  readonly of?: readonly CallKind[];
  /** The error code. */
  readonly is: string;
  /** A retry may succeed. */
  readonly transient?: true;
  /** The config is wrong, not the node. */
  readonly ofConfig?: true;
  readonly hint?: string;
}

const CONFIG_HINT =
  "the node refuses the whole machine config; check the patches for this node, and the Talos version they are written for";

/**
 * Talos' refusals, from its sources (docs/facts/talos.md#error-codes); the first row that fits counts. Most failures inside a node have no code, so
 * the text decides; reads, which change nothing, are retried.
 */
export const MEANINGS: readonly Meaning[] = [
  // It reboots, its certificate is being renewed, a part of it is not up yet.
  {
    codes: [Code.Unavailable, Code.DeadlineExceeded, Code.Canceled, Code.Aborted, Code.Internal],
    is: "TALOS_UNAVAILABLE",
    transient: true,
  },
  {
    codes: [Code.FailedPrecondition],
    says: [
      "bootstrap is not available yet",
      "time is not in sync yet",
      "is not ready for recovery yet",
      "another apply configuration is already in progress",
      "configuration was already applied and node is rebooting",
    ],
    is: "TALOS_NOT_READY",
    transient: true,
  },
  {
    codes: [Code.FailedPrecondition, Code.Unimplemented],
    says: ["on a control plane node", "only available on control plane nodes"],
    is: "TALOS_REFUSED",
    hint: "its config makes it a worker; to change the role, remove the node and add it again",
  },
  { codes: [Code.AlreadyExists], of: ["bootstrap"], is: "TALOS_ALREADY_BOOTSTRAPPED" },
  {
    codes: [Code.Unimplemented],
    says: ["in maintenance mode"],
    is: "TALOS_REFUSED",
    hint: "it waits for its machine config and does nothing else until it has one",
  },
  {
    codes: [Code.InvalidArgument],
    says: ["can't be applied in immediate mode"],
    of: ["apply"],
    is: "TALOS_NEEDS_REBOOT",
    hint: "the change needs a reboot of the node, but was sent without permission to reboot",
  },
  { codes: [Code.InvalidArgument], of: ["apply"], is: "TALOS_CONFIG_INVALID", ofConfig: true, hint: CONFIG_HINT },
  {
    codes: [Code.Unknown],
    says: ["failed to parse config"],
    of: ["apply"],
    is: "TALOS_CONFIG_INVALID",
    ofConfig: true,
    hint: CONFIG_HINT,
  },
  // The refusal of a resource that this Talos does not have (yet, or any more).
  { codes: [Code.PermissionDenied], says: ["is not supported"], is: "TALOS_UNSUPPORTED" },
  { codes: [Code.PermissionDenied, Code.Unauthenticated], is: "TALOS_DENIED" },
  { codes: [Code.NotFound], is: "TALOS_NOT_FOUND" },
  { codes: [Code.Unknown], of: ["read", "file", "snapshot"], is: "TALOS_UNAVAILABLE", transient: true },
  // The end of a connection, reported by the other side of a proxy.
  {
    codes: [Code.Unknown],
    says: ["connection refused", "error reading from server: EOF", "transport is closing"],
    is: "TALOS_UNAVAILABLE",
    transient: true,
  },
  // etcd is between two leaders, or some of its members are on their way.
  {
    codes: [Code.Unknown],
    says: [
      "etcdserver: no leader",
      "etcdserver: leader changed",
      "etcdserver: request timed out",
      "etcdserver: unhealthy cluster",
      "etcdserver: not leader",
    ],
    is: "TALOS_NOT_READY",
    transient: true,
  },
];

/** All other refusals are final. */
const REFUSED: Meaning = { codes: [], is: "TALOS_REFUSED" };

export function meaningOf(kind: CallKind, code: Code, text: string): Meaning {
  const fits = ({ codes, says, of }: Meaning) =>
    codes.includes(code) && (of?.includes(kind) ?? true) && (says?.some((part) => text.includes(part)) ?? true);
  return MEANINGS.find(fits) ?? REFUSED;
}
