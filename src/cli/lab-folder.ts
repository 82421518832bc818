import { join } from "node:path";

/** Where a lab keeps its own files inside an environment's folder. */
export const labFolder = (environment: string) => join(environment, ".lab");
