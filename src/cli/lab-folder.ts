import { dirname, join } from "node:path";
import type { World } from "@talosmith/lib/world/world.ts";

/** The folder of a lab's own files inside an environment's folder. */
export const labFolder = (environment: string) => join(environment, ".lab");

/** The words after `lab start` that started a lab, one a line, so that it can be started again. */
export const startedWith = (lab: string) => join(lab, "started-with");

/** The folder of the lab that a command uses: the one that wrote its wire file, or the environment's own. */
export function labOf({ files }: World, environment: string, wire: string | undefined): string | undefined {
  const lab = wire === undefined ? labFolder(environment) : dirname(wire);
  return files.stat(startedWith(lab)) === undefined ? undefined : lab;
}
