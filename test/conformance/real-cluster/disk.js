import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { execute } from "../execute.js";
import { rootFileSystem } from "../talos-node/root-file-system.js";
import { debianPackages, librariesOf } from "./debian.js";

/** As much of it as is written takes space. */
const SIZE = "16G";
/** The guest's shell until Talos is started; and a runc with seccomp, which pods ask for and Go alone does not build. */
const PACKAGES = ["busybox-static", "runc", "libseccomp2"];
/** Kubelet's container has these of the node. */
const FOLDERS = ["usr/lib/modules", "opt/cni/bin", "guest"];
const EMPTY = ["etc/nfsmount.conf"];

/** Makes the disk that a guest starts from: Talos as in ../talos-node, with what pods need besides; from the folders with the programs of both. */
export async function makeDisk(disk, { talos, kubernetes }) {
  const root = `${disk}.root`;
  const place = (path) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  cpSync(await rootFileSystem(talos), root, { recursive: true, verbatimSymlinks: true });
  for (const path of FOLDERS) mkdirSync(join(root, path), { recursive: true });
  for (const path of EMPTY) writeFileSync(place(path), "");

  const debian = await debianPackages("real-cluster-guest", PACKAGES);
  const runc = join(debian, "usr/sbin/runc");
  copyFileSync(runc, place("usr/bin/runc"));
  for (const library of await librariesOf(runc, debian))
    copyFileSync(library, place(library.startsWith("/lib64/") ? library : join("usr/lib", basename(library))));

  copyFileSync(join(kubernetes, "containerd"), place("usr/bin/containerd"));
  for (const plugin of readdirSync(join(kubernetes, "cni")))
    copyFileSync(join(kubernetes, "cni", plugin), place(`opt/cni/bin/${plugin}`));

  copyFileSync(join(debian, "bin/busybox"), place("guest/busybox"));
  copyFileSync(join(import.meta.dirname, "guest-init.sh"), place("guest/init"));
  chmodSync(place("guest/init"), 0o755);

  // Needs no loop device.
  await execute("mke2fs", ["-q", "-t", "ext4", "-d", root, disk, SIZE]);
  rmSync(root, { recursive: true });
}
