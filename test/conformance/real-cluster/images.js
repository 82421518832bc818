import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { execute } from "../execute.js";
import { etcdImage, makeImage } from "../talos-node/images.js";
import { debianPackages, librariesOf } from "./debian.js";
import { KUBERNETES_RELEASE } from "./programs.js";

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const ENVIRONMENT = { Env: [`PATH=${PATH}`] };

const PACKAGES = [
  ...["busybox-static", "nftables", "libnftables1", "libnftnl11", "libmnl0", "libxtables12", "libjansson4", "libedit2"],
  ...["libbsd0", "libmd0", "libgmp10", "iptables", "libnetfilter-conntrack3", "libnfnetlink0"],
];

/** The names that Talos 1.13.9 and the product's verify have for what is not of Kubernetes's release. */
const COREDNS = "registry.k8s.io/coredns/coredns:v1.14.6";
const FLANNEL = "ghcr.io/siderolabs/flannel:0.28.8";
const PAUSE = "registry.k8s.io/pause:3.10.1";
const AGNHOST = "registry.k8s.io/e2e-test-images/agnhost:2.53";

/** cAdvisor wants to know how fast the processor is, which User-Mode Linux does not say. */
const KUBELET_WRAPPER = `#!/bin/sh
{ cat /proc/cpuinfo; echo "cpu MHz : 1000.000"; } >/tmp/cpuinfo
mount --bind /tmp/cpuinfo /proc/cpuinfo
exec /usr/local/bin/kubelet-itself "$@"
`;

/** The images that a node pulls, for the registry: out of the folders with the programs of Talos and of Kubernetes. */
export async function images(folder, { talos, kubernetes }) {
  const debian = await debianPackages("real-cluster-images", PACKAGES);
  const program = (name) => join(kubernetes, name);
  const one = (name, content, config = {}) => makeImage(folder, name, content, { ...ENVIRONMENT, ...config });
  const ofKubernetes = (name, content = {}) =>
    one(`registry.k8s.io/${name}:${KUBERNETES_RELEASE}`, {
      ...content,
      files: { ...content.files, [`usr/local/bin/${name}`]: program(name) },
    });
  return [
    await etcdImage(folder, talos),
    await one(`ghcr.io/siderolabs/kubelet:${KUBERNETES_RELEASE}`, kubeletContent(program("kubelet"), debian)),
    await ofKubernetes("kube-apiserver"),
    await ofKubernetes("kube-controller-manager"),
    await ofKubernetes("kube-scheduler"),
    await ofKubernetes("kube-proxy", { files: await loaded("usr/sbin/nft", debian) }),
    await one(COREDNS, { files: { coredns: program("coredns") } }, { Entrypoint: ["/coredns"] }),
    await one(PAUSE, { files: { pause: program("pause") } }, { Entrypoint: ["/pause"], User: "65535:65535" }),
    await one(FLANNEL, await flannelContent(program("flanneld"), debian), { Entrypoint: ["/opt/bin/flanneld"] }),
    await one(AGNHOST, await agnhostContent(program("agnhost"), debian), { Entrypoint: ["/agnhost"], Cmd: ["pause"] }),
  ];
}

function kubeletContent(kubelet, debian) {
  const box = busybox(debian, ["sh", "cat", "mount", "umount"]);
  return {
    files: { ...box.files, "usr/local/bin/kubelet-itself": kubelet },
    texts: { "usr/local/bin/kubelet": KUBELET_WRAPPER, "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n" },
    // Talos mounts the node's /run there.
    links: { ...box.links, run: "var/run" },
    folders: ["tmp", "root", "var/run"],
  };
}

/** Talos's manifest copies a file with `cp` first; flanneld itself calls iptables. */
async function flannelContent(flanneld, debian) {
  const box = busybox(debian, ["sh", "cp"]);
  const extensions = "usr/lib/x86_64-linux-gnu/xtables";
  const modules = readdirSync(join(debian, extensions)).map((name) => join(extensions, name));
  const names = ["iptables", "ip6tables"].flatMap((name) => [name, `${name}-save`, `${name}-restore`]);
  return {
    files: {
      ...box.files,
      ...(await loaded("usr/sbin/xtables-nft-multi", debian)),
      ...Object.fromEntries(modules.map((path) => [path, join(debian, path)])),
      "opt/bin/flanneld": flanneld,
    },
    links: { ...box.links, ...Object.fromEntries(names.map((name) => [`usr/sbin/${name}`, "xtables-nft-multi"])) },
    // For the lock, and for a copy of the subnet.
    folders: ["run", "tmp"],
  };
}

/** What verify's pods call: the real one has Alpine's curl and BIND's nslookup. */
async function agnhostContent(agnhost, debian) {
  const box = busybox(debian, ["sh", "nslookup"]);
  const curl = (await execute("sh", ["-c", "command -v curl"])).trim();
  return { files: { ...box.files, ...(await loaded(curl, "/")), agnhost }, links: box.links, folders: ["tmp"] };
}

function busybox(debian, names) {
  return {
    files: { "bin/busybox": join(debian, "bin/busybox") },
    links: Object.fromEntries(names.map((name) => [`bin/${name}`, "busybox"])),
  };
}

/** A program of Debian's at its path, with its loader and libraries where that looks for them. */
async function loaded(path, debian) {
  const program = join(debian, path);
  const libraries = await librariesOf(program, debian);
  const placed = libraries.map((from) => [from.startsWith("/lib64/") ? from : join("usr/lib", basename(from)), from]);
  return { [path]: program, ...Object.fromEntries(placed) };
}
