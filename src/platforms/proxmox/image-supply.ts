import { join } from "node:path";
import type { Where } from "@talosmith/lib/errors.ts";
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

/** Where images come from. Every host wants the same ones, so whoever comes first asks, or fetches, for all of them. */
export class ImageSupply {
  readonly #folder: string;
  readonly #factory: Factory;
  readonly #built = new Map<string, Promise<string | undefined>>();
  readonly #fetched = new Map<string, InUse>();

  constructor({ folder, config }: ProxmoxEnvironment, meter: Meter) {
    this.#folder = folder;
    this.#factory = { address: config.image.factory, meter };
  }

  /** Where a host can fetch it from. */
  url(image: TalosImage): string {
    return `${this.#factory.address}${image.path}`;
  }

  /** The factory has it ready; with its SHA-256 where the factory tells. After a failure the next one asks again. */
  built(c: Write, image: TalosImage, where: Where | undefined): Promise<string | undefined> {
    const before = this.#built.get(image.file);
    if (before) return before;
    const building = factoryHasBuilt(c, this.#factory, image, where).catch((error: unknown) => {
      this.#built.delete(image.file);
      throw error;
    });
    this.#built.set(image.file, building);
    return building;
  }

  /** Has it as a file on this computer for as long as somebody uses it. */
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
