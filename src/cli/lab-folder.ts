import { join } from "node:path";

/** The folder of a lab's own files inside an environment's folder. */
export const labFolder = (environment: string) => join(environment, ".lab");
