import { asTalosmithError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { type Check, check, type Finding, type Read } from "../../../engine/step.ts";
import type { Environment } from "../../../environment/environment.ts";
import type { Inventory } from "../../platform.ts";
import type { ConfigOnVps, VpsNodeConfig } from "../config/config-on-vps.ts";
import { adviceByHand, factsOf } from "./advice.ts";
import { hetznerProvider } from "./hetzner/hetzner.ts";
import type { Provider } from "./provider.ts";

export { outsideCheck } from "./outside.ts";

/** Opens the provider's API when it is supported and the config has a token; undefined means that the user does these steps. */
export function openProvider(world: World, env: Environment<ConfigOnVps>): Provider | undefined {
  const { provider } = env.config.vps;
  if (provider?.name !== "hetzner" || provider.token === undefined) return undefined;
  return hetznerProvider(world, env, { url: provider.url, token: provider.token });
}

/** For `doctor`: reports whether the provider's API finds the nodes' servers, or the steps that the user has to do there. */
export function adviceCheck(env: Environment<ConfigOnVps>, found: Inventory): Check {
  return check({
    id: "doctor/provider",
    stage: "preflight",
    title: `servers at ${factsOf(env.config).title}`,
    before: () => false,
    run: async (c) => {
      const provider = openProvider(c.world, env);
      if (!provider) return adviceByHand(env.config, found);
      try {
        const findings = await Promise.all(env.config.nodes.map((node) => serverOf(provider, node, c)));
        // A problem of the token is reported once, not for every node.
        return findings.filter((one, at) => findings.findIndex(({ message }) => message === one.message) === at);
      } finally {
        provider.close();
      }
    },
  });
}

async function serverOf(provider: Provider, node: VpsNodeConfig, c: Read): Promise<Finding> {
  try {
    const { id, name, state } = await provider.server(node, c);
    return {
      level: "ok",
      code: "PROVIDER_SERVER",
      message: `${node.name} is server ${name} (id ${id}, ${state}) at ${provider.name}`,
    };
  } catch (thrown) {
    c.signal.throwIfAborted();
    const { code, message, detail, hint } = asTalosmithError(thrown);
    return { level: "fail", code, message: [message, detail].filter(Boolean).join("\n"), ...(hint !== undefined && { hint }) };
  }
}
