import type { Manifest } from "../objects.ts";
import type { Hook } from "./release.ts";

export const NEVER = { started_at: "", completed_at: "", phase: "" };

/** A hook as stored in its release. */
export function hookOf(path: string, text: string, { kind, metadata }: Manifest): Hook {
  const list = (note: string) => {
    const value = metadata.annotations?.[`helm.sh/${note}`] ?? "";
    return value === "" ? [] : value.split(",").map((part) => part.trim().toLowerCase());
  };
  const weight = Number(metadata.annotations?.["helm.sh/hook-weight"] ?? 0) || 0;
  const policies = list("hook-delete-policy");
  return {
    name: metadata.name ?? "",
    kind,
    path,
    manifest: text,
    events: list("hook"),
    last_run: { ...NEVER },
    ...(weight !== 0 && { weight }),
    ...(policies.length > 0 && { delete_policies: policies }),
  };
}
