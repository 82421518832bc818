import { chmodSync, constants, copyFileSync, createWriteStream, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execute } from "../execute.js";
import { REGISTRY_PORT } from "./environment.js";
import { GATEWAY, spawnIn } from "./network.js";
import { undoLater } from "./undo.js";

/** The same content has the same digest: no order of a folder and no time in it. */
const REPEATABLE = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0"];

/**
 * An image of one layer, for `startRegistry`. Its content by path: programs and other files copied from this machine, texts to write (with a first line #! they
 * can be run), links with their targets, and empty folders. `config` is what the image says of itself: Entrypoint, Cmd, Env.
 */
export async function makeImage(folder, name, { files = {}, texts = {}, links = {}, folders = [] }, config) {
  const root = join(folder, name.replaceAll(/[/:]/g, "_"));
  const place = (path) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  for (const path of folders) mkdirSync(join(root, path), { recursive: true });
  for (const [path, from] of Object.entries(files)) copyFileSync(from, place(path), constants.COPYFILE_FICLONE);
  for (const [path, text] of Object.entries(texts)) {
    writeFileSync(place(path), text);
    if (text.startsWith("#!")) chmodSync(place(path), 0o755);
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, place(path));
  const layer = `${root}.tar`;
  await execute("tar", ["--create", "--file", layer, "--directory", root, ...REPEATABLE, "."]);
  rmSync(root, { recursive: true });
  return { name, layer, config };
}

/** The etcd that Talos 1.13.9 asks for. */
export function etcdImage(folder, programs) {
  return makeImage(folder, "registry.k8s.io/etcd:v3.6.12", { files: { "usr/local/bin/etcd": join(programs, "etcd") } });
}

/** Starts the registry that nodes pull these images from. What it was asked for is in the folder's registry.log. */
export async function startRegistry(network, images, folder) {
  const list = join(folder, "images.json");
  writeFileSync(list, JSON.stringify(images));
  const command = [process.execPath, join(import.meta.dirname, "registry.js"), GATEWAY, String(REGISTRY_PORT), list];
  const child = spawnIn(network, command, { stdio: ["ignore", "pipe", "inherit"] });
  undoLater(() => child.kill("SIGKILL"));
  await new Promise((ready, failed) => {
    child.stdout.once("data", ready);
    child.once("close", (code) => failed(new Error(`the registry has ended with ${code}`)));
  });
  child.stdout.pipe(createWriteStream(join(folder, "registry.log")));
}
