/** The kinds of calls, which decide time limits and the meaning of refusals. */
export type CallKind =
  | "read"
  /** Data of any length, in many messages. */
  | "file"
  /** Begins before the response and ends after it: reboot, reset, shutdown. */
  | "change"
  /** Ends before the response, which takes a while. */
  | "work"
  | "apply"
  | "bootstrap"
  /** Runs until the reader stops; the limit is for its first message. */
  | "stream"
  /** A stream that ends by itself, of any length; the limit is for each of its messages. */
  | "snapshot";

/** The time limits of responses. Talos itself waits a second for containerd and five for the clock before it bootstraps. */
export const LIMIT_MS: Readonly<Record<CallKind, number>> = {
  read: 10_000,
  file: 20_000,
  change: 10_000,
  work: 60_000,
  apply: 60_000,
  bootstrap: 20_000,
  stream: 10_000,
  // Talos waits five seconds for etcd, and a large database is read from the disk.
  snapshot: 30_000,
};
