import type { Process } from "../pods/program.ts";
import type { ClusterApi } from "./api.ts";
import type { HelmArguments } from "./argv.ts";
import type { Releases } from "./release.ts";
import type { Owner } from "./resources.ts";

export const TIMEOUT = "5m0s";

/** One run of helm that changes a release. */
export interface Job {
  run: Process;
  api: ClusterApi;
  args: HelmArguments;
  releases: Releases;
  owner: Owner;
}
