import { stringify } from "yaml";
import type { Json } from "../../../lib/json.ts";
import { isFields } from "./documents.ts";
import type { MachineConfig } from "./machine-config.ts";

/** What takes effect without a reboot (talos.md 5.1); everything else in the main document needs one. */
const IMMEDIATE = [
  "debug",
  "cluster",
  ...[
    ..."ca acceptedCAs time certSANs install network sysfs sysctls logging controlPlane kubelet kernel registries".split(" "),
    ..."pods seccompProfiles nodeAnnotations nodeLabels nodeTaints".split(" "),
    ..."kubernetesTalosAPIAccess kubePrism hostDNS imageCache nodeAddressSortAlgorithm"
      .split(" ")
      .map((key) => `features.${key}`),
  ].map((key) => `machine.${key}`),
];

/** undefined when the change needs no reboot; else what Talos says about it. */
export function rebootReason(current: MachineConfig, next: MachineConfig): string | undefined {
  const [before, after] = [current, next].map(({ main }) => canonical(without(main, IMMEDIATE)));
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  const diff = lineDifference(print(before), print(after));
  return `this config change can't be applied in immediate mode\ndiff:\n${diff}`;
}

/** Of whole configs, for a dry run. */
export function configDifference(current: string, next: string): string {
  return current === next ? "No changes." : lineDifference(current, next);
}

function without(value: Json, paths: readonly string[]): Json {
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !paths.includes(key))
      .map(([key, inner]) => {
        const deeper = paths.filter((path) => path.startsWith(`${key}.`)).map((path) => path.slice(key.length + 1));
        return [key, deeper.length > 0 ? without(inner, deeper) : inner];
      }),
  );
}

/** Without what says nothing, and with sorted keys: Talos compares what it has decoded. */
function canonical(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => canonical(item) ?? null);
  if (!isFields(value)) return value === null || value === "" ? undefined : value;
  const entries = Object.keys(value)
    .sort()
    .map((key) => [key, canonical(value[key])] as const)
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Json);
}

function print(value: Json | undefined): string {
  return stringify(value ?? {}, { indent: 4 });
}

/** Which lines are gone and which are new, in the shape of a unified diff with one hunk. */
function lineDifference(before: string, after: string): string {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const gone = a.slice(start, a.length - end).map((line) => `-${line}`);
  const come = b.slice(start, b.length - end).map((line) => `+${line}`);
  return ["--- a", "+++ b", `@@ -${start + 1},${gone.length} +${start + 1},${come.length} @@`, ...gone, ...come].join("\n");
}
