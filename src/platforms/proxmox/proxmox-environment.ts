import type { ConfigOnProxmox } from "../../config/config.ts";
import type { Environment } from "../../environment/environment.ts";

export type ProxmoxEnvironment = Environment<ConfigOnProxmox>;
