import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compiled } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const HOME = join(import.meta.dirname, "../../oracles/helm");

const files = ["go.mod", "go.sum"].map((file) => readFileSync(join(HOME, file), "utf8"));

/** "v3.18.6": what the product's own Jobs run, unless somebody names another image. */
export const HELM_VERSION = /helm\.sh\/helm\/v3 (v[\w.-]+)/.exec(files[0])?.[1];

/** As the released program calls itself, and the Kubernetes it takes for granted when it is asked without a cluster. */
const FLAGS = [
  "-s -w",
  `-X helm.sh/helm/v3/internal/version.version=${HELM_VERSION}`,
  "-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=36",
].join(" ");

let built;

/** The path of a helm that nobody here wrote, built from its Go module once. */
export function realHelm() {
  built ??= build();
  return built;
}

async function build() {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const folder = await compiled("helm", [go, FLAGS, ...files], async (half) => {
    mkdirSync(half, { recursive: true });
    const program = join(half, "helm");
    await execute("go", ["build", "-ldflags", FLAGS, "-o", program, "helm.sh/helm/v3/cmd/helm"], {
      cwd: HOME,
    });
  });
  return join(folder, "helm");
}
