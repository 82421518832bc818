import { minorOf } from "../versions.ts";
import { quoted } from "./values.ts";

/** Kubernetes minor versions supported by a Talos minor version (pkg/machinery/compatibility). */
const RANGES: Readonly<Record<number, readonly [from: number, to: number]>> = { 12: [30, 35], 13: [31, 36], 14: [32, 37] };

/** undefined when this Talos supports that Kubernetes image. */
export function imageProblem(image: string, talos: string): string | undefined {
  const refuse = (why: string) => `failed to parse Kubernetes version from image reference ${quoted(image)}: ${why}`;
  const colon = image.lastIndexOf(":v");
  if (colon < 0) return refuse(`invalid image reference: ${quoted(image)}`);
  const version = (image.slice(colon + 2).split("@")[0] ?? "").trim();
  const problem = versionProblem(version);
  if (problem !== undefined) return refuse(`error parsing Kubernetes version ${quoted(version)}: ${problem}`);
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  const [from, to] = RANGES[Math.min(14, Math.max(12, minorOf(talos)))] as readonly [number, number];
  const used = `to be used with Talos ${talos.replace(/^v/, "")}`;
  if (major < 1 || (major === 1 && minor < from)) return `version of Kubernetes ${version} is too old ${used}`;
  if (major > 1 || minor > to) return `version of Kubernetes ${version} is too new ${used}`;
  return undefined;
}

/** The error of the semver library. */
function versionProblem(version: string): string | undefined {
  const parts = version.split(".");
  if (version === "") return "Version string empty";
  if (parts.length < 3) return "No Major.Minor.Patch elements found";
  const [major = "", minor = ""] = parts;
  const patch = parts.slice(2).join(".").split(/[-+]/)[0] ?? "";
  for (const [name, part] of [
    ["major", major],
    ["minor", minor],
    ["patch", patch],
  ] as const) {
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${name} number ${quoted(part)}`;
  }
  return undefined;
}
