import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { ContainerDriver, type ContainerdInstance, ContainerdNamespace } from "@talosmith/wire/gen/common/common_pb.js";
import type { ImageService } from "@talosmith/wire/gen/machine/image_pb.js";
import type { MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import type { Home } from "../inside/containers.ts";
import { type Image, imagesOf, pull } from "../inside/images.ts";
import { isRunning } from "../machine/services.ts";
import { minorOf } from "../versions.ts";
import { type Called, callerOf, changing, looking } from "./caller.ts";

const HOMES: Partial<Record<ContainerdNamespace, Home>> = {
  [ContainerdNamespace.NS_SYSTEM]: "cri system",
  [ContainerdNamespace.NS_CRI]: "k8s.io",
};

function homeOf(called: Called, namespace: ContainerdNamespace): Home {
  const home = HOMES[namespace];
  if (home === undefined) throw new ConnectError(`unsupported namespace ${ContainerdNamespace[namespace]}`, Code.InvalidArgument);
  if (!isRunning(called.boot, "cri"))
    throw new ConnectError(
      "error connecting to containerd: dial unix /run/containerd/containerd.sock: connect: no such file or directory",
      Code.Unavailable,
    );
  return home;
}

/** The containerd instance of a request; 1.12 does not have this service. */
function instanceOf(called: Called, instance: ContainerdInstance | undefined): Home {
  if (minorOf(called.boot.system.version) < 13)
    throw new ConnectError("unknown service machine.ImageService", Code.Unimplemented);
  if (instance?.driver === ContainerDriver.CONTAINERD && instance.namespace === ContainerdNamespace.NS_SYSTEM) return "system";
  return homeOf(called, instance?.namespace ?? ContainerdNamespace.NS_UNKNOWN);
}

function facts({ name, digest, size, created }: Image) {
  return { name, digest, size: BigInt(size), createdAt: timestampFromMs(created) };
}

/** Pulls an image; an unknown image is refused with the registry's message. */
function pulled(context: HandlerContext, homeIn: (called: Called) => Home, reference: string): Image {
  return changing(callerOf(context), (called) => {
    const home = homeIn(called);
    if (!pull(called, home, reference)) {
      const why = `failed to resolve reference ${JSON.stringify(reference)}: ${reference}: not found`;
      throw new ConnectError(`error pulling image: failed to pull image ${JSON.stringify(reference)}: ${why}`, Code.NotFound);
    }
    return imagesOf(called, home).find(({ name }) => name === reference) as Image;
  });
}

/** The image methods before 1.14, beside the service. */
export const imageMethods: Partial<ServiceImpl<typeof MachineService>> = {
  async *imageList({ namespace }, context) {
    const images = looking(callerOf(context), (called) => imagesOf(called, homeOf(called, namespace)));
    for (const image of images) yield facts(image);
  },
  imagePull({ namespace, reference }, context) {
    pulled(context, (called) => homeOf(called, namespace), reference);
    return { messages: [{}] };
  },
};

export const imageServiceMethods: Partial<ServiceImpl<typeof ImageService>> = {
  async *list({ containerd }, context) {
    const { images, home } = looking(callerOf(context), (called) => {
      const home = instanceOf(called, containerd);
      return { home, images: imagesOf(called, home) };
    });
    // Talos does not label images that it pulls itself.
    const labels = home === "k8s.io" ? { "io.cri-containerd.image": "managed" } : {};
    for (const image of images) yield { ...facts(image), labels };
  },
  async *pull({ containerd, imageRef }, context) {
    yield { name: pulled(context, (called) => instanceOf(called, containerd), imageRef).name };
  },
};
