import { posix } from "node:path";
import type { Process } from "../../shell/process.ts";
import type { Host } from "../system/host.ts";

/** A program that has been started on a server of the lab. */
export interface Started extends Process {
  host: Host;
}

/** Returns its exit code. */
export type Program = (started: Started) => number | Promise<number>;

/** Where an argument points to, from the folder that the program is in. */
export function absolute({ folder }: Started, path: string): string {
  return posix.resolve(folder, path);
}
