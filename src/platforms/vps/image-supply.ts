import { join } from "node:path";
import { makeFolderDurably } from "@talosmith/lib/durable.ts";
import { remoteError } from "@talosmith/lib/errors.ts";
import type { Meter } from "@talosmith/lib/http/client.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import type { Write } from "../../engine/step.ts";
import { PRIVATE_FOLDER, paths } from "../../environment/folder.ts";
import type { Packing } from "../../takeover/write/commands.ts";
import type { ImageSource } from "../../takeover/write/image-source.ts";
import { type Factory, factoryHasBuilt } from "../../talos/image/factory.ts";
import { type FetchedImage, fetchImage } from "../../talos/image/fetch-image.ts";
import { assetPath, nodeSchematic, type TalosImage } from "../../talos/image/image.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import type { VpsEnvironment } from "./vps-environment.ts";

type Arch = "amd64" | "arm64";

interface InUse {
  image: Promise<FetchedImage>;
  users: number;
}

/** The images of the servers. Nodes that need the same image share one: it is built once, and at most one download to this computer runs at a time. */
export class ImageSupply {
  readonly #env: VpsEnvironment;
  readonly #factory: Factory;
  readonly #built = new Map<string, Promise<unknown>>();
  readonly #fetched = new Map<string, InUse>();
  readonly #written = new Map<string, { node: string; sha256: string }>();

  constructor(env: VpsEnvironment, meter: Meter) {
    this.#env = env;
    this.#factory = { address: env.config.image.factory, meter };
  }

  source(node: VpsNodeConfig, arch: Arch, c: Write): ImageSource {
    const image = (packing: Packing) => this.#image(node, arch, packing);
    return {
      url: (packing) => `${this.#factory.address}${image(packing).path}`,
      open: async (packing) => {
        await this.#builtOnce(c, image(packing));
        return this.#here(c, image(packing));
      },
    };
  }

  /**
   * Asks the factory to build the image before a server downloads it, in the format that the server's programs can unpack: a first build can outlast
   * the download's time limit.
   */
  built(c: Write, node: VpsNodeConfig, arch: Arch, tools: ReadonlySet<string>): Promise<void> {
    const packing = !tools.has("curl") && !tools.has("wget") ? "gz" : tools.has("zstd") ? "zst" : tools.has("xz") ? "xz" : "gz";
    return this.#builtOnce(c, this.#image(node, arch, packing));
  }

  /** Requires that every server got the same bytes, since the factory publishes no checksums. */
  compare(node: VpsNodeConfig, arch: Arch, sha256: string): void {
    const { name } = this.#image(node, arch, "gz");
    const before = this.#written.get(name) ?? { node: node.name, sha256 };
    this.#written.set(name, before);
    if (before.sha256 === sha256) return;
    throw remoteError("IMAGES_DIFFER", {
      message: `Unable to trust the image of ${node.name}: ${before.node} got a different file with the same name`,
      detail: `${name}: SHA-256 ${sha256} here, ${before.sha256} there. ${node.name} was not restarted.`,
      hint: "run the command again; if it fails again, something between a server and image.factory, such as a proxy, changes files",
    });
  }

  #image(node: VpsNodeConfig, arch: Arch, packing: Packing): TalosImage {
    const { cluster, image } = this.#env.config;
    const schematic = nodeSchematic(cluster.talos, node.image);
    const asset = { talos: cluster.talos, platform: "metal", arch, secureboot: image.secureboot, format: "raw" } as const;
    const name = `talos-${cluster.talos}-metal-${arch}-${schematic.id.slice(0, 8)}${image.secureboot ? "-secureboot" : ""}`;
    return {
      name,
      file: `${name}.raw.${packing}`,
      medium: "disk",
      schematic,
      path: `${assetPath(schematic.id, asset)}.${packing}`,
    };
  }

  async #builtOnce(c: Write, image: TalosImage): Promise<void> {
    const building =
      this.#built.get(image.file) ??
      factoryHasBuilt(c, this.#factory, image).catch((error: unknown) => {
        this.#built.delete(image.file);
        throw error;
      });
    this.#built.set(image.file, building);
    await building;
  }

  /** The image as a temporary file, kept while it is read: servers read at their own pace. */
  async #here(c: Write, image: TalosImage): Promise<AsyncIterable<Uint8Array>> {
    const folder = paths.state(this.#env.folder);
    const { files } = c.world;
    makeFolderDurably(files, folder, PRIVATE_FOLDER);
    const path = join(folder, `upload-${image.file}`);
    const one = this.#fetched.get(image.file) ?? { image: fetchImage(c, this.#factory, image, path), users: 0 };
    this.#fetched.set(image.file, one);
    one.users++;
    const leave = () => {
      if (--one.users > 0) return;
      this.#fetched.delete(image.file);
      files.remove(path);
    };
    await one.image.catch((error: unknown) => {
      leave();
      throw error;
    });
    return streamed(files, path, leave);
  }
}

async function* streamed(files: Files, path: string, leave: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* files.stream(path);
  } finally {
    leave();
  }
}
