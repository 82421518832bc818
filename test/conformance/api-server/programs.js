import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cached, found } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

const HOME = join(import.meta.dirname, "../../oracles/api-server");
const VERSION = "k8s.io/component-base/version";

/** The release of Kubernetes that go.mod asks for: "v1.36.3". */
function release() {
  const [, kubernetes] = /k8s\.io\/kubernetes (v[\w.-]+)/.exec(readFileSync(join(HOME, "go.mod"), "utf8")) ?? [];
  return kubernetes;
}

/** The folder with `etcd` and `kube-apiserver`. It takes a quarter of an hour to make, so without `make` it must be there already. */
export async function programs({ make }) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const inputs = [go, ...["go.mod", "go.sum"].map((file) => readFileSync(join(HOME, file), "utf8"))];
  const kubernetes = release();
  if (!make && found("api-server", inputs) === undefined)
    throw new Skipped(
      `kube-apiserver ${kubernetes} is not built yet: npm run conformance -- api-server does it, in 10 to 20 minutes`,
    );
  const folder = await cached("api-server", inputs, async (half) => {
    mkdirSync(half, { recursive: true });
    const build = (name, source, flags = "") =>
      execute("go", ["build", `-ldflags=-s -w ${flags}`, "-o", join(half, name), source], { cwd: HOME, timeout: 3_600_000 });
    const [major, minor] = kubernetes.slice(1).split(".");
    await build("etcd", "go.etcd.io/etcd/server/v3");
    const said = { gitVersion: kubernetes, gitMajor: major, gitMinor: minor };
    const flags = Object.entries(said).map(([name, value]) => `-X ${VERSION}.${name}=${value}`);
    await build("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", flags.join(" "));
    copyFileSync(join(HOME, "go.mod"), join(half, "go.mod"));
  });
  return { folder, kubernetes };
}
