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
  /** The folder that a lock is moved to when it is released or taken over. */
  formerLock: (folder: string, nonce: string) => join(folder, ".talosmith", `lock.was-${nonce}`),
  runs: (folder: string) => join(folder, ".talosmith", "runs"),
  /** The target of an unfinished operation. */
  operation: (folder: string) => join(folder, ".talosmith", "operation.json"),
  /** The recorded location of the environment, which reveals copies of the folder. */
  place: (folder: string) => join(folder, ".talosmith", "place.json"),
  /** Copies of files before they were replaced. */
  copies: (folder: string) => join(folder, ".talosmith", "copies"),
  /** Snapshots of etcd. */
  snapshots: (folder: string) => join(folder, ".talosmith", "snapshots"),
  /** Records of servers before they were overwritten; afterwards only the progress is updated. */
  takeovers: (folder: string, node: string) => join(folder, ".talosmith", "takeover", node),
};

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** Files from which a lost secrets.yaml can be restored. */
export function remainsOf({ folder, shown }: { folder: string; shown: string }) {
  return { shown, controlPlaneConfig: paths.machineConfig(folder, "controlplane"), talosconfig: paths.talosconfig(folder) };
}
