import { find, pathName } from "@talosmith/lib/yaml/tree.ts";
import { type Foreign, PREFIX } from "../elsewhere.ts";
import { type ConfigPlatform, makesMachines } from "../platform.ts";
import type { Report, Said } from "../report.ts";

/** Refuses keys of other platforms, each with a hint. */
export function refuseForeign(all: readonly Foreign[], platform: ConfigPlatform | undefined, report: Report): void {
  if (platform === undefined) return;
  for (const one of all) {
    const written = find(report.tree, one.path);
    // An addon that is switched off stands there to take back what an extended file says.
    if (one.kind === "addon" && written?.kind === "scalar" && written.value === false) continue;
    report.problem(one.path, { ...saidOf(one, platform), on: "key" });
  }
}

function saidOf({ path, kind, key, of }: Foreign, platform: ConfigPlatform): Said {
  const name = pathName(path);
  const [owner] = of;
  const instead = (at: string, otherwise: string) => owner?.keys?.instead?.[at] ?? otherwise;
  const makesNone = `but platform ${platform.name} creates none`;
  const describesMade = makesMachines(owner) && !makesMachines(platform);
  const only = `${name} is for platform ${of.map((one) => one.name).join(" or ")} only`;
  if (kind === "section")
    return {
      message: `${name} is set, but platform is ${platform.name}`,
      hint: `remove the section, or set platform: ${owner?.name}`,
    };
  if (kind === "addon")
    return { message: `${name} is for platform: ${owner?.name}`, hint: instead(`addons.${key}`, "remove it") };
  if (kind === "refused") return { message: only, hint: key === PREFIX ? IN_ONE_NETWORK : (platform.keys?.without?.[key] ?? "") };
  if (!describesMade) return { message: only, hint: instead(key, "remove it") };
  if (kind === "image")
    return { message: `${name} sets how machines are created, ${makesNone}`, hint: `remove it: ${imageOn(platform)}` };
  if (kind === "card")
    return { message: `${name} describes a network card to create, ${makesNone}`, hint: instead(`nics[].${key}`, "remove it") };
  return {
    message: `${name} describes a machine to create, ${makesNone}`,
    hint: instead(key, "remove it: the machine exists already"),
  };
}

const IN_ONE_NETWORK = "remove it: nodes have the prefix length of network.cidr";

function imageOn({ machines }: ConfigPlatform): string {
  return machines.kind === "existing" ? machines.image : "";
}
