/** What a call does, as far as patience and the meaning of a refusal depend on it. */
export type CallKind =
  | "read"
  /** Something of any length, in many messages. */
  | "file"
  /** Begun before the answer, done after it: reboot, reset, shutdown. */
  | "change"
  /** Done before the answer, and that takes a while. */
  | "work"
  | "apply"
  | "bootstrap"
  /** Goes on until somebody has seen enough; the limit is for its first message. */
  | "stream"
  /** A stream that ends by itself, of any length; the limit is for each of its messages. */
  | "snapshot";

/** How long an answer may take. Talos itself waits a second for containerd and five for the clock before it bootstraps. */
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
