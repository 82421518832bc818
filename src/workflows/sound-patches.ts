import { TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { NodeConfig, UserPatch } from "../config/config.ts";
import type { Environment } from "../environment/environment.ts";
import { configsFrom } from "../steps/generate/wanted-configs.ts";
import type { MachineConfig } from "../talos/config/machine-config.ts";
import { patchProblems } from "../talos/config/patch-problems.ts";
import { configProblems } from "../talos/config/validate.ts";
import { STAND_IN } from "../talos/secrets/stand-in.ts";

/** A placeholder: the effect of a patch does not depend on the MAC address. */
const SOME_CARD = { mac: () => "02:00:00:00:00:01" };

/** Checks that the patches make machine configs that Talos accepts. Throws all problems; contacts no server. */
export function soundPatches(env: Environment): void {
  const { cluster, nodes } = env.config;
  const patched = nodes.filter((node) => node.patches.length > 0);
  refuse(patchProblems([...new Set(patched.flatMap((node) => node.patches))], cluster.talos));
  const configs = configsFrom(env, SOME_CARD, STAND_IN);
  // A thousand nodes share a few patches: the first node of each kind stands for all.
  const kinds = new Map(patched.toReversed().map((node) => [kindOf(node), node]));
  refuse(once([...kinds.values()].reverse().flatMap((node) => problemsOf(env, configs.of, node))));
}

/** Reports a problem of a patch once, for the first node that has it. */
function once(problems: readonly TalosmithError[]): TalosmithError[] {
  const place = ({ where, hint, message }: TalosmithError) =>
    where === undefined ? message : `${where.file}:${where.line}:${where.column} ${hint}`;
  return [...new Map(problems.toReversed().map((problem) => [place(problem), problem])).values()].reverse();
}

function problemsOf(env: Environment, configOf: (node: NodeConfig) => MachineConfig, node: NodeConfig): TalosmithError[] {
  const { config } = env;
  try {
    return configProblems(configOf(node).documents, {
      role: node.role,
      mode: config.image.talosPlatform === "metal" ? "metal" : "cloud",
      talosVersion: config.cluster.talos,
      node: node.name,
      patches: node.patches,
    });
  } catch (error) {
    if (error instanceof TalosmithError && error.kind === "user") return [error];
    throw error;
  }
}

const numbers = new WeakMap<UserPatch, number>();
let last = 0;

function kindOf({ role, patches }: NodeConfig): string {
  const number = (patch: UserPatch) => {
    if (!numbers.has(patch)) numbers.set(patch, ++last);
    return numbers.get(patch);
  };
  return [role, ...patches.map(number)].join(" ");
}

function refuse(problems: readonly TalosmithError[]): void {
  const [first, ...more] = problems;
  if (first === undefined) return;
  if (more.length === 0) throw first;
  throw userError("PATCH_INVALID", {
    message: `The patches have ${problems.length} problems`,
    hint: "correct them as each hint says. Nothing was contacted or changed.",
    problems,
  });
}
