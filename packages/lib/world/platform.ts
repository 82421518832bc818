import { existsSync, readFileSync, realpathSync } from "node:fs";
import { release } from "node:os";
import { dirname, join } from "node:path";
import * as sea from "node:sea";

/** The versions of Node and of the operating system, for bug reports. */
export function platformWords(): { node: string; system: string } {
  return { node: process.version, system: `${process.platform} ${release()} ${process.arch}` };
}

/** Reads a file that is shipped with the program, such as a page of docs/runbooks; undefined when there is no such file. */
export function shippedFile(path: string): string | undefined {
  if (sea.isSea()) return fromBinary(path);
  // The launcher is at the top of a clone, and in bin/ of the npm package.
  const launcher = realpathSync(String(process.argv[1]));
  const folders = [dirname(launcher), dirname(dirname(launcher))];
  const file = folders.map((folder) => join(folder, path)).find((one) => existsSync(one));
  return file && readFileSync(file, "utf8");
}

function fromBinary(path: string): string | undefined {
  try {
    return sea.getAsset(path, "utf8");
  } catch {
    return undefined;
  }
}
