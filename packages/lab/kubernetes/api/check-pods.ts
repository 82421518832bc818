import type { KubeObject, Loose } from "../objects.ts";
import { checkLabelName } from "./check-metadata.ts";
import { type Cause, required } from "./status.ts";

/** Checks a pod's spec or a pod template's. */
export function checkPodSpec(spec: Loose, at: string): Cause[] {
  const containers: Loose[] = spec?.containers ?? [];
  if (containers.length === 0) return [required(`${at}.containers`)];
  const volumes = new Set<string>((spec.volumes ?? []).map(({ name }: Loose) => name));
  return [
    ...(spec.volumes ?? []).flatMap(({ name }: Loose, index: number) => checkLabelName(`${at}.volumes[${index}].name`, name)),
    ...containers.flatMap((container, index) => checkContainer(container, `${at}.containers[${index}]`, volumes)),
    ...(spec.initContainers ?? []).flatMap((container: Loose, index: number) =>
      checkContainer(container, `${at}.initContainers[${index}]`, volumes),
    ),
    ...duplicateNames(containers, `${at}.containers`),
  ];
}

function checkContainer({ name, image, volumeMounts = [] }: Loose, at: string, volumes: ReadonlySet<string>): Cause[] {
  return [
    ...checkLabelName(`${at}.name`, name),
    ...(image ? [] : [required(`${at}.image`)]),
    ...volumeMounts.flatMap((mount: Loose, place: number): Cause[] =>
      volumes.has(mount.name)
        ? []
        : [
            {
              reason: "FieldValueNotFound",
              message: `Not found: ${JSON.stringify(mount.name)}`,
              field: `${at}.volumeMounts[${place}].name`,
            },
          ],
    ),
  ];
}

function duplicateNames(items: readonly Loose[], at: string): Cause[] {
  const seen = new Set<string>();
  return items.flatMap(({ name }, index): Cause[] => {
    const twice = seen.has(name);
    seen.add(name);
    const message = `Duplicate value: ${JSON.stringify(name)}`;
    return twice ? [{ reason: "FieldValueDuplicate", message, field: `${at}[${index}].name` }] : [];
  });
}

const FIXED =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** A created pod cannot be changed, except for its images and a few fields. */
export function checkPod({ spec }: KubeObject, before: KubeObject | undefined): Cause[] {
  const problems = checkPodSpec(spec, "spec");
  if (!before || JSON.stringify(fixed(spec)) === JSON.stringify(fixed(before.spec))) return problems;
  return [...problems, { reason: "FieldValueForbidden", message: `Forbidden: ${FIXED}`, field: "spec" }];
}

function fixed(spec: Loose): Loose {
  const { activeDeadlineSeconds: _, tolerations: __, terminationGracePeriodSeconds: ___, nodeName: ____, ...rest } = spec;
  const bare = (list: Loose[] | undefined) => list?.map(({ image: _____, ...container }) => sortedKeys(container));
  return sortedKeys({ ...rest, containers: bare(rest.containers), initContainers: bare(rest.initContainers) });
}

function sortedKeys(record: Record<string, Loose>): Loose {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
