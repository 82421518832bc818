import { join } from "node:path";

/** Where everything of an environment is kept; see the design's list. */
export const paths = {
  secrets: (folder: string) => join(folder, "secrets.yaml"),
  state: (folder: string) => join(folder, ".talosmith"),
  lock: (folder: string) => join(folder, ".talosmith", "lock"),
  runs: (folder: string) => join(folder, ".talosmith", "runs"),
};

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
