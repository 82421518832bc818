import type { World } from "../world/world.ts";

/** The text of a file; undefined when it is missing or cannot be read. */
export function readable(world: World, path: string): string | undefined {
  try {
    const bytes = world.files.read(path);
    return bytes && Buffer.from(bytes).toString("utf8");
  } catch {
    return undefined;
  }
}
