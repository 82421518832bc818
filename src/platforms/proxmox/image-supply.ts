import { join } from "node:path";
import type { Meter } from "@talosmith/lib/http/client.ts";
import type { Write } from "../../engine/step.ts";
import { PRIVATE_FOLDER, paths } from "../../environment/folder.ts";
import { type Factory, factoryHasBuilt } from "../../talos/image/factory.ts";
import { type FetchedImage, fetchImage } from "../../talos/image/fetch-image.ts";
import type { TalosImage } from "../../talos/image/image.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";

interface InUse {
  image: Promise<FetchedImage>;
  users: number;
}

/** The source of images. All hosts need the same ones, so the factory is queried, and an image downloaded, once for all of them. */
export class ImageSupply {
  readonly #folder: string;
  readonly #factory: Factory;
  readonly #built = new Map<string, Promise<string | undefined>>();
  readonly #fetched = new Map<string, InUse>();

  constructor({ folder, config }: ProxmoxEnvironment, meter: Meter) {
    this.#folder = folder;
    this.#factory = { address: config.image.factory, meter };
  }

  /** The URL from which a host can download it. */
  url(image: TalosImage): string {
    return `${this.#factory.address}${image.path}`;
  }

  /** Waits until the factory has built the image; returns its SHA-256 when the factory publishes one. A failure is not remembered. */
  built(c: Write, image: TalosImage): Promise<string | undefined> {
    const before = this.#built.get(image.file);
    if (before) return before;
    const building = factoryHasBuilt(c, this.#factory, image).catch((error: unknown) => {
      this.#built.delete(image.file);
      throw error;
    });
    this.#built.set(image.file, building);
    return building;
  }

  /** Downloads the image to this computer, and keeps the file while it is in use. */
  async here<T>(c: Write, image: TalosImage, sha256: string | undefined, use: (file: FetchedImage) => Promise<T>): Promise<T> {
    const path = join(paths.state(this.#folder), `upload-${image.file}`);
    c.world.files.makeFolder(paths.state(this.#folder), PRIVATE_FOLDER);
    const one = this.#fetched.get(image.file) ?? { image: fetchImage(c, this.#factory, image, path, sha256), users: 0 };
    this.#fetched.set(image.file, one);
    one.users++;
    try {
      return await use(await one.image);
    } finally {
      if (--one.users === 0) {
        this.#fetched.delete(image.file);
        c.world.files.remove(path);
      }
    }
  }
}
