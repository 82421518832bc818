import { release } from "node:os";

/** The versions of Node and of the operating system, for bug reports. */
export function platformWords(): { node: string; system: string } {
  return { node: process.version, system: `${process.platform} ${release()} ${process.arch}` };
}
