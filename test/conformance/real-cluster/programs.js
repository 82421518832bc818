import { linkSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { cached, found } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";

/** Go modules that name the releases, most of them without sources of their own. */
const MODULES = join(import.meta.dirname, "../../oracles/real-cluster");

/** A quarter of an hour on two idle cores, and this machine may be busy. */
const BUILD_MS = 2 * 3_600_000;

const KUBERNETES = "k8s.io/kubernetes";
const VERSION = "k8s.io/component-base/version";
const PLUGINS = "github.com/containernetworking/plugins/plugins";
/** The release of Kubernetes that Talos 1.13.9 brings: "v1.36.3". */
export const KUBERNETES_RELEASE = required("kubernetes", KUBERNETES);

/** What is built of which module: name, or path below the folder, and package. */
const PROGRAMS = [
  ...["kubelet", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"].map((name) => ({
    name,
    module: "kubernetes",
    source: `${KUBERNETES}/cmd/${name}`,
    flags: saidVersion(),
  })),
  { name: "agnhost", module: "kubernetes", source: `${KUBERNETES}/test/images/agnhost` },
  { name: "coredns", module: "coredns", source: "." },
  {
    name: "containerd",
    module: "containerd",
    source: "github.com/containerd/containerd/v2/cmd/containerd",
    tags: "no_btrfs,no_zfs,no_devmapper,no_tracing",
  },
  {
    name: "flanneld",
    module: "flannel",
    source: "github.com/flannel-io/flannel",
    // One of its backends is written in C.
    cgo: true,
    tags: "netgo,osusergo",
    flags: "-linkmode external -extldflags -static",
  },
  { name: "cni/flannel", module: "cni", source: "./flannel" },
  ...["main/bridge", "main/loopback", "ipam/host-local", "meta/portmap"].map((plugin) => ({
    name: `cni/${basename(plugin)}`,
    module: "cni",
    source: `${PLUGINS}/${plugin}`,
  })),
];

/** The folder with Kubernetes, containerd with CRI, CoreDNS, flannel, agnhost and pause, and cni/ with the network's plugins. Each is made once for its sources. */
export async function kubernetesPrograms({ make }) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const gcc = await version("gcc", "-dumpversion");
  if (gcc === undefined) throw new Skipped("there is no gcc, which pause and flannel are built with");
  const parts = [...PROGRAMS.map((program) => goPart(program, program.cgo ? `${go} ${gcc}` : go)), pausePart(gcc)];
  if (!make && parts.some(({ cache, inputs }) => found(cache, inputs) === undefined))
    throw new Skipped(
      `Kubernetes ${KUBERNETES_RELEASE} is not built yet: npm run conformance -- real-cluster does it, in 15 to 30 minutes`,
    );
  const built = [];
  for (const { name, cache, inputs, build: into } of parts) {
    const folder = await cached(cache, inputs, async (half) => {
      mkdirSync(half, { recursive: true });
      await into(join(half, "program"));
    });
    built.push({ name, folder });
  }
  return cached(
    "real-cluster-programs",
    built.map(({ name, folder }) => `${name} ${basename(folder)}`),
    async (half) => {
      for (const { name, folder } of built) {
        mkdirSync(dirname(join(half, name)), { recursive: true });
        linkSync(join(folder, "program"), join(half, name));
      }
    },
  );
}

function goPart({ name, module, source, tags = "", flags = "", cgo = false }, compilers) {
  const cwd = join(MODULES, module);
  const files = readdirSync(cwd, { recursive: true })
    .filter((file) => /\.(go|mod|sum)$/.test(file))
    .sort();
  const texts = files.map((file) => `${file}\n${readFileSync(join(cwd, file), "utf8")}`);
  return {
    name,
    cache: `real-cluster-${basename(name)}`,
    inputs: [compilers, source, tags, flags, ...texts],
    build: (program) => {
      const env = { ...process.env, CGO_ENABLED: cgo ? "1" : "0", GOWORK: "off" };
      const options = ["-trimpath", "-buildvcs=false", "-mod=readonly", "-tags", tags, "-ldflags", `-s -w ${flags}`];
      return execute("go", ["build", ...options, "-o", program, source], { cwd, env, timeout: BUILD_MS });
    },
  };
}

/** Kubernetes's own, in C: it waits, and that is all. */
function pausePart(gcc) {
  return {
    name: "pause",
    cache: "real-cluster-pause",
    inputs: [gcc, KUBERNETES_RELEASE],
    build: async (program) => {
      const module = await execute("go", ["mod", "download", "-json", KUBERNETES], { cwd: join(MODULES, "kubernetes") });
      const source = join(JSON.parse(module).Dir, "build/pause/linux/pause.c");
      await execute("gcc", ["-Os", "-Wall", "-static", "-s", `-DVERSION=${KUBERNETES_RELEASE}`, "-o", program, source]);
    },
  };
}

/** Linker flags by which Kubernetes knows its release. */
function saidVersion() {
  const [major, minor] = KUBERNETES_RELEASE.slice(1).split(".");
  const said = { gitVersion: KUBERNETES_RELEASE, gitMajor: major, gitMinor: minor };
  return Object.entries(said)
    .map(([name, value]) => `-X ${VERSION}.${name}=${value}`)
    .join(" ");
}

function required(module, wanted) {
  const text = readFileSync(join(MODULES, module, "go.mod"), "utf8");
  return new RegExp(`^(?:require)?\\s*${wanted} (v\\S+)`, "m").exec(text)[1];
}
