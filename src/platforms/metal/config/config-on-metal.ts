import type { Config, OneNetwork } from "../../../config/config.ts";

/** Machines that their owner has started; each waits in maintenance mode at its address. */
export interface ConfigOnMetal extends Config {
  readonly platform: "metal";
  readonly network: OneNetwork;
}

export function isOnMetal(config: Config): config is ConfigOnMetal {
  return config.platform === "metal";
}
