import type { Environment } from "../../environment/environment.ts";
import type { ConfigOnProxmox } from "./config/config-on-proxmox.ts";

export type ProxmoxEnvironment = Environment<ConfigOnProxmox>;
