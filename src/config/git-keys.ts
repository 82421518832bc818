import type { World } from "@talosmith/lib/world/world.ts";
import type { Report } from "./report.ts";
import type { Draft } from "./shape.ts";
import { privateKeyAt } from "./ssh-key.ts";
import { told } from "./told-presets.ts";

/** The private keys for Git repositories, as text. */
export interface GitKeys {
  readonly flux: string | undefined;
  readonly argocd: string | undefined;
}

const HINT =
  "name a private key of the environment's folder, such as deploy-key (not the .pub file): ssh-keygen -t ed25519 -f deploy-key -N ''";

/** Reads the keys; an unusable one is reported and left out. */
export function gitKeysOf(draft: Draft, world: World, folder: string, report: Report): GitKeys {
  const keyOf = (preset: "flux" | "argocd") => {
    const key = told(draft, preset)?.key;
    return key === undefined ? undefined : privateKeyAt(key, ["addons", preset, "key"], { world, folder, report, hint: HINT });
  };
  return { flux: keyOf("flux"), argocd: keyOf("argocd") };
}
