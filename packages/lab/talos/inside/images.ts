import { createHash } from "node:crypto";
import { findImage } from "../../kubernetes/images/images.ts";
import { type Called, configOf } from "../api/caller.ts";
import { type TalosDisk, talosState } from "../state.ts";
import { containersOf, etcdImage, type Home, kubeletImage, PAUSE } from "./containers.ts";

export interface Image {
  name: string;
  /** "sha256:…" */
  digest: string;
  size: number;
  created: number;
}

const MiB = 1024 ** 2;

/** The images in a containerd: those of its containers, and pulled ones. */
export function imagesOf(called: Called, home: Home): Image[] {
  const config = configOf(called);
  const used = containersOf(called)
    .filter((container) => container.home === home)
    .map(({ image }) => image);
  const kept = home === "cri system" && config ? [etcdImage(called, config), kubeletImage(called, config)] : [];
  const names = [...used, ...kept, ...(home === "k8s.io" ? [PAUSE] : []), ...(diskOf(called)?.images?.[home] ?? [])];
  return [...new Set(names.filter((name) => name !== ""))]
    .flatMap((name) => {
      const hash = createHash("sha256").update(name).digest();
      const digest = `sha256:${hash.toString("hex")}`;
      const of = { digest, size: (8 + hash.readUInt8(0)) * MiB, created: called.lab.timeOfDay(called.boot.since) };
      // An image has three names.
      return [...new Set([name, `${name.replace(/(:[^/]*)?(@.*)?$/, "")}@${digest}`, digest])].map((one) => ({
        name: one,
        ...of,
      }));
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Images of Talos and Kubernetes: the lab has no registry for them, so every version exists. */
const OF_TALOS =
  /(^|\/)(installer(-base)?|([a-z0-9]+-)?installer(-secureboot)?\/[0-9a-f]{64}|kubelet|etcd|flannel|coredns|pause|kube-[a-z-]+)(:|@|$)/;

/** Pulls an image; false when it is unknown. */
export function pull(called: Called, home: Home, reference: string): boolean {
  if (findImage(reference) === undefined && !OF_TALOS.test(reference)) return false;
  const disk = diskOf(called);
  if (disk) {
    disk.images = { ...disk.images, [home]: [...new Set([...(disk.images?.[home] ?? []), reference])] };
  }
  return true;
}

function diskOf({ lab, boot }: Called): TalosDisk | undefined {
  return boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
}
