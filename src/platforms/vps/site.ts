import type { Meter } from "@talosmith/lib/http/client.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { surveyServer } from "../../takeover/look/survey-server.ts";
import { openShell } from "../../takeover/open-shell.ts";
import { takeOver } from "../../takeover/take-over.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { ImageSupply } from "./image-supply.ts";
import type { Provider } from "./providers/provider.ts";
import { openProvider } from "./providers/providers.ts";
import { Records } from "./records.ts";
import type { VpsEnvironment } from "./vps-environment.ts";

/** Rented servers, as this environment sees them. */
export interface Site {
  env: VpsEnvironment;
  talos: TalosNodes;
  /** Present when the config has a token for its API. */
  provider: Provider | undefined;
  images: Pick<ImageSupply, keyof ImageSupply>;
  records: Records;
  meter: Meter;
  hands: Hands;
}

/** The work over SSH. */
export interface Hands {
  openShell: typeof openShell;
  surveyServer: typeof surveyServer;
  takeOver: typeof takeOver;
}

export function openSite(world: World, env: VpsEnvironment, talos: TalosNodes): Site {
  const meter: Meter = { calls: 0, bytes: 0 };
  return {
    env,
    talos,
    provider: openProvider(world, env),
    images: new ImageSupply(env, meter),
    records: new Records(env.folder),
    meter,
    hands: { openShell, surveyServer, takeOver },
  };
}
