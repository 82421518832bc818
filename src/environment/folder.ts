import { join } from "node:path";

/** Paths of all files of an environment; docs/reference/outputs.md says which of them other programs may read. */
export const paths = {
  secrets: (folder: string) => join(folder, "secrets.yaml"),
  ageKey: (folder: string) => join(folder, "age.agekey"),
  talosconfig: (folder: string) => join(folder, "talosconfig"),
  kubeconfig: (folder: string) => join(folder, "kubeconfig"),
  machineConfig: (folder: string, role: "controlplane" | "worker") => join(folder, `${role}.yaml`),
  patch: (folder: string, node: string) => join(folder, `patch-${node}.yaml`),
  outputs: (folder: string) => join(folder, "outputs.json"),
  state: (folder: string) => join(folder, ".talosmith"),
  lock: (folder: string) => join(folder, ".talosmith", "lock"),
  /** Where a lock is moved to when its holder gives it back or loses it. */
  formerLock: (folder: string, nonce: string) => join(folder, ".talosmith", `lock.was-${nonce}`),
  runs: (folder: string) => join(folder, ".talosmith", "runs"),
  /** The target of an operation that has begun and has not ended. */
  operation: (folder: string) => join(folder, ".talosmith", "operation.json"),
  /** Where this environment lives, to tell a copy of the folder from the folder. */
  place: (folder: string) => join(folder, ".talosmith", "place.json"),
  /** What was in files before they were replaced. */
  copies: (folder: string) => join(folder, ".talosmith", "copies"),
  /** Snapshots of etcd. */
  snapshots: (folder: string) => join(folder, ".talosmith", "snapshots"),
  /** What was found of each server before it was overwritten; never changed by us afterwards, except for how far it came. */
  takeovers: (folder: string, node: string) => join(folder, ".talosmith", "takeover", node),
};

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** What a lost secrets.yaml can be had back from. */
export function remainsOf({ folder, shown }: { folder: string; shown: string }) {
  return { shown, controlPlaneConfig: paths.machineConfig(folder, "controlplane"), talosconfig: paths.talosconfig(folder) };
}
