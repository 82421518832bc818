import type { ConfigOnVps } from "../../config/config.ts";
import type { Environment } from "../../environment/environment.ts";

export type VpsEnvironment = Environment<ConfigOnVps>;
