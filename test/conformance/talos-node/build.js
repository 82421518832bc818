import { cpSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { cached, found } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";
import { EDITS, MACHINERY, PROGRAMS, REPLACED, TALOS, TALOS_MODULE } from "./sources.js";

/** A quarter of an hour on two idle cores, and this machine may be busy. */
const BUILD_MS = 2 * 3_600_000;

const TALOS_TAGS = "tcell_minimal,grpcnotrace";
const TALOS_FLAGS = "-s -w -X golang.zx2c4.com/wireguard/ipc.socketDirectory=/system/wireguard-sock";
const CONTAINERD_TAGS = "no_cri,no_btrfs,no_zfs,no_devmapper,no_tracing";

/** Talos's own programs: which package each is, and with which of our changes. */
const OF_TALOS = {
  machined: { what: "./internal/app/machined", edits: EDITS },
  talosctl: { what: "./cmd/talosctl", edits: [] },
};

/** The others. */
const OF_MODULES = {
  etcd: { what: "go.etcd.io/etcd/server/v3" },
  containerd: { what: "github.com/containerd/containerd/v2/cmd/containerd", tags: CONTAINERD_TAGS },
  "containerd-shim-runc-v2": {
    what: "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
    tags: CONTAINERD_TAGS,
  },
  runc: {
    what: "github.com/opencontainers/runc",
    tags: "netgo,osusergo",
    flags: "-s -w -linkmode external -extldflags -static",
    cgo: true,
  },
};

const NODE = ["machined", ...Object.keys(OF_MODULES)];

/** The folder with a node's programs: machined, etcd, containerd and its shim, runc. */
export async function programs({ make }) {
  const all = [];
  for (const name of NODE) all.push([name, await program(name, { make, part: "talos-node", takes: "15 to 30 minutes" })]);
  const inputs = all.map(([, path]) => basename(join(path, "..")));
  return cached("talos-node-programs", inputs, async (half) => {
    mkdirSync(half);
    for (const [name, path] of all) linkSync(path, join(half, name));
  });
}

/** Talos's command line, as it is. */
export function talosctlProgram({ make }) {
  return program("talosctl", { make, part: "talosctl", takes: "10 to 20 minutes" });
}

/** A program, built once for what goes into it and kept in a folder of its own: another one's change does not build it again. */
async function program(name, { make, part, takes }) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const talos = OF_TALOS[name];
  const inputs = talos ? talosInputs(go, talos) : await moduleInputs(go, OF_MODULES[name]);
  const kept = `talos-node-${name}`;
  if (!make && found(kept, inputs) === undefined)
    throw new Skipped(`${name} of Talos ${TALOS} is not built yet: npm run conformance -- ${part} does it, in ${takes}`);
  const folder = await cached(kept, inputs, async (half) => {
    mkdirSync(half);
    const path = join(half, name);
    if (talos) await buildTalos(path, talos, join(half, "source"));
    else await build(path, { cwd: PROGRAMS, flags: "-s -w", ...OF_MODULES[name] });
  });
  return join(folder, name);
}

const talosInputs = (go, { what, edits }) => [go, JSON.stringify([TALOS, REPLACED, TALOS_TAGS, TALOS_FLAGS, what, edits])];

async function moduleInputs(go, recipe) {
  const files = ["go.mod", "go.sum"].map((file) => readFileSync(join(PROGRAMS, file), "utf8"));
  const inputs = [go, JSON.stringify(recipe), ...files];
  if (!recipe.cgo) return inputs;
  const gcc = await version("gcc", "-dumpversion");
  if (gcc === undefined) throw new Skipped("there is no gcc, which runc is built with");
  return [...inputs, gcc];
}

async function buildTalos(path, { what, edits }, source) {
  await talosSource(source, edits);
  await build(path, { cwd: source, what, tags: TALOS_TAGS, flags: TALOS_FLAGS, mod: "mod" });
  rmSync(source, { recursive: true });
}

/** `-trimpath`: the folder's name is another one each time, and Go's cache must not notice. */
async function build(path, { cwd, what, tags = "", flags, cgo = false, mod = "readonly" }) {
  const env = { ...process.env, CGO_ENABLED: cgo ? "1" : "0", GOWORK: "off" };
  const args = ["build", "-trimpath", "-buildvcs=false", `-mod=${mod}`, "-tags", tags, "-ldflags", flags, "-o", path, what];
  await execute("go", args, { cwd, env, timeout: BUILD_MS });
}

/** Talos's module with its machinery inside, as in its repository, with our changes. */
async function talosSource(source, edits) {
  for (const [n, module] of [TALOS_MODULE, MACHINERY].entries()) {
    const from = await moduleFolder(module);
    const into = n === 0 ? source : join(source, "pkg/machinery");
    cpSync(from, into, { recursive: true });
    // What the module cache has is read-only.
    await execute("chmod", ["-R", "u+w", into]);
  }
  rmSync(join(source, "go.work"), { force: true });
  const replaced = Object.entries(REPLACED).map(([module, release]) => `-replace=${module}=${module}@${release}`);
  await execute("go", ["mod", "edit", ...replaced], { cwd: source });
  for (const { file, from, to, why } of edits) {
    const path = join(source, file);
    const [before, after, ...more] = readFileSync(path, "utf8").split(from);
    if (after === undefined || more.length > 0)
      throw new Error(`${file} of Talos ${TALOS} does not have "${from}" once (${why})`);
    writeFileSync(path, `${before}${to}${after}`);
  }
}

/** Where Go has unpacked a module of the Talos release, downloaded when it was not yet. */
export async function moduleFolder(module) {
  return JSON.parse(await execute("go", ["mod", "download", "-json", `${module}@${TALOS}`])).Dir;
}
