import type { Environment } from "../../environment/environment.ts";
import type { ConfigOnVps } from "./config/config-on-vps.ts";

export type VpsEnvironment = Environment<ConfigOnVps>;
