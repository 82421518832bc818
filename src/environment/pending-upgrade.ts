import type { Where } from "@talosmith/lib/errors.ts";
import type { OtherImage, OtherRelease, PendingUpgrade } from "../engine/result.ts";
import type { Finding } from "../engine/step.ts";

/** "Talos v1.13.9 (config: v1.14.0), Kubernetes v1.36.3 (config: v1.37.0)"; for other differences: "image of worker-1". */
export function upgradeWords({ talos, kubernetes, images, withheld }: PendingUpgrade): string {
  const release = (name: string, other: OtherRelease | undefined) =>
    other ? [`${name} ${other.runs.map(({ version }) => version).join(" and ")} (config: ${other.config})`] : [];
  return [
    ...release("Talos", talos),
    ...release("Kubernetes", kubernetes),
    ...(images.length > 0 ? [`another image on ${images.map(({ node }) => node).join(", ")}`] : []),
    ...(withheld.length > 0 ? [`not installed: ${withheld.join(", ")}`] : []),
  ].join(", ");
}

/** One line for the releases and one for the images, for any number of nodes. */
export function upgradeFindings(upgrade: PendingUpgrade, level: "warn" | "fail", where?: Where): Finding[] {
  return [...releaseFinding(upgrade, level, where), ...imageFinding(upgrade, level)];
}

function releaseFinding({ talos, kubernetes }: PendingUpgrade, level: "warn" | "fail", where?: Where): Finding[] {
  const others = [
    ...(talos ? [{ name: "Talos", key: "talos", command: "talosctl upgrade", ...talos }] : []),
    ...(kubernetes ? [{ name: "Kubernetes", key: "kubernetes", command: "talosctl upgrade-k8s", ...kubernetes }] : []),
  ];
  if (others.length === 0) return [];
  const and = (words: readonly string[]) => words.join(" and ");
  const runs = and(others.map(({ name, runs, partly }) => `${name} ${runs.map(runWords(partly ?? runs.length > 1)).join(", ")}`));
  const config = and(others.map(({ name, config }) => `${name} ${config}`));
  const keys = and(others.map(({ key, runs }) => `${key}: ${runs[0]?.version}`));
  const place = where ? ` (${where.file}:${where.line})` : "";
  return [
    {
      level,
      code: "UPGRADE_NEEDED",
      message: `the cluster runs ${runs}, the config says ${config}; up does not upgrade: nodes keep their version, and new nodes join with it`,
      hint: `upgrade with ${and(others.map(({ command }) => command))}, or set the running version in the config: ${keys} under cluster${place}`,
    },
  ];
}

const runWords = (several: boolean) => (one: { version: string; nodes: readonly string[] }) =>
  several ? `${one.version} (${one.nodes.join(", ")})` : one.version;

function imageFinding({ images, withheld }: PendingUpgrade, level: "warn" | "fail"): Finding[] {
  if (images.length === 0) return [];
  const lacking = images.filter(({ lacks }) => lacks.length > 0);
  const extensions = [...new Set(lacking.flatMap(({ lacks }) => lacks))].sort();
  const names = (of: readonly OtherImage[]) => of.map(({ node }) => node).join(", ");
  const others = images.filter(({ lacks }) => lacks.length === 0);
  const parts = [
    ...(lacking.length > 0
      ? [`${names(lacking)} ${lacking.length === 1 ? "runs" : "run"} without ${extensions.join(", ")}`]
      : []),
    ...(others.length > 0
      ? [`${names(others)} ${others.length === 1 ? "runs" : "run"} another image than the config describes`]
      : []),
    ...(withheld.length > 0 ? [`${withheld.join(", ")} ${withheld.length === 1 ? "is" : "are"} not installed until then`] : []),
  ];
  return [
    {
      level,
      code: "IMAGE_DIFFERS",
      message: `${parts.join("; ")} (another image is an upgrade, which up does not do)`,
      hint: images.map(({ upgrade }) => upgrade).join("\n"),
    },
  ];
}
