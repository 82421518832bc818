import type { Environment } from "../../environment/environment.ts";
import type { ConfigOnMetal } from "./config/config-on-metal.ts";

export type MetalEnvironment = Environment<ConfigOnMetal>;
