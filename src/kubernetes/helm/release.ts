import type { Json } from "@talosmith/lib/json.ts";
import type { ReleasePart, Values } from "../../catalog/addons/addon.ts";

export type { Values };

/** A chart that should be installed, and how. */
export interface HelmRelease extends Pick<ReleasePart, "name" | "namespace" | "chart" | "repository" | "version" | "values"> {
  /** Paths of secret values: "auth.password". */
  secretPaths?: readonly string[];
  /** The label on Helm's records, so that one list finds all talosmith releases. */
  labels: Readonly<Record<string, string>>;
  /** The image with Helm 3.13 or newer, which is needed for --labels. */
  helmImage: string;
}

/** The owner of a release: the environment's id, and the addon's name in the config. */
export const OF_ENVIRONMENT = "talosmith.dev/environment";
export const OF_ADDON = "talosmith.dev/addon";

const LONGEST_LABEL = 63;

/** An environment's id, shortened for a label. Its unique part is at the end. */
export function environmentLabel(id: string): string {
  return id.slice(-LONGEST_LABEL).replace(/^[^a-z0-9]+/, "");
}

export function isMap(value: Json | undefined): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
