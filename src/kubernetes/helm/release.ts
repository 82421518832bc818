import type { Json } from "@talosmith/lib/json.ts";
import type { ReleasePart, Values } from "../../catalog/addons/addon.ts";

export type { Values };

/** A chart that should be installed, and how. */
export interface HelmRelease extends Pick<ReleasePart, "name" | "namespace" | "chart" | "repository" | "version" | "values"> {
  /** Paths of values that nobody may see: "auth.password". */
  secretPaths?: readonly string[];
  /** Put on Helm's own records, so that one list finds all of ours. */
  labels: Readonly<Record<string, string>>;
  /** The image whose `helm` does it: 3.13 or newer, since --labels is. */
  helmImage: string;
}

/** Whose a release is: the environment's id, and what the config calls the addon it belongs to. */
export const OF_ENVIRONMENT = "talosmith.dev/environment";
export const OF_ADDON = "talosmith.dev/addon";

const LONGEST_LABEL = 63;

/** An environment's id as a label has room for it. What tells it from others is at its end. */
export function environmentLabel(id: string): string {
  return id.slice(-LONGEST_LABEL).replace(/^[^a-z0-9]+/, "");
}

export function isMap(value: Json | undefined): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
