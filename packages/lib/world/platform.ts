import { release } from "node:os";

/** What this program runs on, for somebody who is to find out why it fails. */
export function platformWords(): { node: string; system: string } {
  return { node: process.version, system: `${process.platform} ${release()} ${process.arch}` };
}
