import { TalosmithError, type Where } from "@talosmith/lib/errors.ts";
import type { AddonPart } from "../../catalog/addons/addon.ts";
import type { StepId } from "../../engine/step.ts";

/** The display name: "longhorn", "flux/sync". The release with the addon's own name is called like the addon. */
export function partName(addon: string, { kind, name }: Pick<AddonPart, "kind" | "name">): string {
  return kind === "release" && name === addon ? addon : `${addon}/${name}`;
}

export function partId(addon: string, part: Pick<AddonPart, "kind" | "name">): StepId {
  return `addon/${partName(addon, part)}`;
}

/** Adds the addon's place in the config to errors. */
export async function blameOn<T>(where: Where | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TalosmithError) || error.where !== undefined || where === undefined || error.transient) throw error;
    const { kind, code, message, detail, hint, cause, problems } = error;
    throw new TalosmithError(kind, code, {
      message,
      where,
      problems,
      ...(detail !== undefined && { detail }),
      ...(hint !== undefined && { hint }),
      ...(cause !== undefined && { cause }),
    });
  }
}
