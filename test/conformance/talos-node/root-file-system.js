import { copyFileSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { cached } from "../cache.js";
import { moduleFolder } from "./build.js";
import { MACHINERY, TALOS_MODULE } from "./sources.js";

const FOLDERS = [
  ...["dev", "mnt", "opt", "proc", "run", "sys", "system", "tmp", "var", ".extra"],
  ...["etc/cni/net.d", "etc/cri/conf.d/hosts", "etc/kubernetes/manifests", "etc/ssl/certs"],
  ...[
    "usr/lib/firmware",
    "usr/libexec/kubernetes",
    "usr/local/lib/kubelet/credentialproviders",
    "usr/local/share",
    "usr/share/spdx",
  ],
];

const LINKS = {
  bin: "usr/bin",
  sbin: "usr/bin",
  lib: "usr/lib",
  "usr/sbin": "bin",
  "etc/localtime": "/usr/share/zoneinfo/Etc/UTC",
  "etc/pki": "/etc/ssl",
  "etc/ca-certificates": "/etc/ssl",
  "etc/ssl/certs/ca-certificates": "ca-certificates.crt",
  ...Object.fromEntries(["poweroff", "shutdown", "reboot", "dashboard"].map((name) => [`usr/bin/${name}`, "init"])),
};

/** Talos mounts its own over these. */
const EMPTY = [
  ...["extensions.yaml", "hosts", "machine-id", "resolv.conf", "ssl/certs/ca-certificates.crt"],
  ...["cri.toml", "01-registries.part", "20-customization.part", "base-spec.json"].map((name) => `cri/conf.d/${name}`),
  ...["iscsi/initiatorname.iscsi", "nvme/hostid", "nvme/hostnqn", "selinux/targeted/contexts/files/file_contexts"],
].map((name) => `etc/${name}`);

/** Files of Talos's own modules. */
const FROM_TALOS = {
  "hack/containerd.toml": "etc/containerd/config.toml",
  "hack/cri-containerd.toml": "etc/cri/containerd.toml",
  "hack/cri-plugin.part": "etc/cri/conf.d/00-base.part",
  "hack/zoneinfo/Etc/UTC": "usr/share/zoneinfo/Etc/UTC",
};
const FROM_MACHINERY = { "version/os-release": "etc/os-release" };

/** A Talos node's root file system as far as container mode needs it, which the marker file turns on. */
export async function rootFileSystem(programs) {
  const inputs = [basename(programs), readFileSync(import.meta.filename, "utf8")];
  const talos = await moduleFolder(TALOS_MODULE);
  const machinery = await moduleFolder(MACHINERY);
  return cached("talos-node-root", inputs, async (root) => {
    const place = (path) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      return join(root, path);
    };
    const copy = (folder, files) => {
      for (const [from, to] of Object.entries(files)) copyFileSync(join(folder, from), place(to));
    };
    for (const folder of FOLDERS) mkdirSync(place(folder), { recursive: true });
    linkSync(join(programs, "machined"), place("usr/bin/init"));
    for (const name of ["containerd", "containerd-shim-runc-v2", "runc"])
      linkSync(join(programs, name), place(`usr/bin/${name}`));
    for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, place(name));
    for (const name of [...EMPTY, "usr/etc/in-container"]) writeFileSync(place(name), "");
    writeFileSync(place("etc/hostname"), "talos\n");
    copy(talos, FROM_TALOS);
    copy(machinery, FROM_MACHINERY);
  });
}
