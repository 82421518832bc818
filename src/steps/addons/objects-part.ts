import { userError } from "@talosmith/lib/errors.ts";
import { type Change, type Field, type Finding, known, type Read, type Seen, type Step, step } from "../../engine/step.ts";
import { environmentId } from "../../environment/environment.ts";
import { ageKey } from "../generate/age-key.ts";
import { CLUSTER_NEEDS, lookInside } from "./cluster.ts";
import type { PartSpec } from "./helm-release.ts";
import { inventories, joined, type PartInventory, refKey, refName, refOf, writeInventory } from "./inventory.ts";
import type { ObjectsLikePart, Source } from "./manifests.ts";
import { applyObjects } from "./objects-apply.ts";
import { lookAtObjects, type ObjectSeen, sameRef } from "./objects-look.ts";
import { blameOn, partId, partName } from "./part.ts";

interface Applied {
  objects: readonly ObjectSeen[];
  /** Its inventory in the cluster. */
  inventory: PartInventory | undefined;
}

const INVENTORY_FIELD = "inventory";

/** Objects that are applied unchanged, compared by the server's dry run. */
export function objectsPart(spec: PartSpec<ObjectsLikePart>, source: Source): Step<Applied, void> {
  const { cluster, addon, part, needs, where } = spec;
  const { kube } = cluster;
  const id = partId(addon, part);
  const subject = partName(addon, part);
  const look = async (c: Read): Promise<Applied> => {
    const [objects, all] = await Promise.all([
      source(c).then((manifests) => lookAtObjects(kube, c, unique(manifests), needs)),
      inventories(kube, c, known(c, environmentId)),
    ]);
    return { objects, inventory: all.find((one) => one.addon === addon && one.part === part.name) };
  };
  return step({
    id,
    stage: "addons",
    title: subject,
    needs: [...CLUSTER_NEEDS, ...needs, ...(part.kind === "age-key" ? [ageKey] : [])],
    observe: (c) =>
      blameOn(where, () =>
        lookInside(cluster, id, c, async (): Promise<Seen<Applied>> => ({ is: "present", actual: await look(c), owner: "us" })),
      ),
    plan: (seen) => {
      const change = (verb: Change["verb"], fields: Field[]): Change[] => [{ id, step: id, verb, subject, fields }];
      const created = (from: Field["from"]) => change("create", [{ path: "objects", from, to: contentsWords(part) }]);
      // Only then is it known whether they exist: other addons may create some of them.
      if ("later" in seen) return created(seen);
      if (seen.is !== "present") return [];
      const { objects } = seen.actual;
      // Another addon may create the namespace before this part's turn.
      if (isAbsent(objects)) return created(objects.some(isMissingNamespace) ? { later: id } : null);
      const fields = [...objects.flatMap((one) => fieldsOf(one, id)), ...inventoryFields(seen.actual)];
      return fields.length === 0 ? [] : change("update", fields);
    },
    notes: (seen) => (seen.is === "present" ? seen.actual.objects.flatMap(ownerNotes) : []),
    apply: (_, c) =>
      blameOn(where, async () => {
        const { objects, inventory } = await look(c);
        const ours = objects.filter(({ state }) => state.is !== "owned").map(({ manifest }) => manifest);
        const refs = joined(inventory?.objects ?? [], ours.map(refOf));
        await writeInventory(kube, c, known(c, environmentId), { addon, part: part.name, objects: refs });
        const differing = objects.filter(
          ({ state }) => state.is === "absent" || (state.is === "present" && state.fields.length > 0),
        );
        await applyObjects(
          kube,
          c,
          subject,
          differing.map(({ manifest }) => manifest),
          ours,
        );
      }),
    output: () => undefined,
  });
}

/** Two objects with one name would overwrite each other in every run. */
function unique(manifests: Awaited<ReturnType<Source>>): Awaited<ReturnType<Source>> {
  const twice = manifests.find((one, index) => manifests.findIndex((other) => sameRef(one, other)) !== index);
  if (!twice) return manifests;
  const { kind, metadata } = twice;
  throw userError("MANIFEST_TWICE", {
    message: `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name} is written twice`,
    hint: "remove one of the two",
  });
}

const NAMED = 3;

/** A description of a part's objects, without reading anything. */
function contentsWords(part: ObjectsLikePart): string {
  if (part.kind === "download") return part.url;
  if (part.kind === "age-key") return `Secret ${part.secret.namespace}/${part.secret.name}`;
  const names = part.objects.map((one) => refName(refOf(one)));
  return `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ""}`;
}

const isMissingNamespace = ({ manifest, state }: ObjectSeen) => manifest.kind === "Namespace" && state.is === "absent";

/** Whether no object of it exists, except its namespace. */
function isAbsent(objects: readonly ObjectSeen[]): boolean {
  const inside = objects.filter(({ manifest }) => manifest.kind !== "Namespace");
  const counted = inside.length > 0 ? inside : objects;
  return counted.length > 0 && counted.every(({ state }) => state.is === "absent");
}

function fieldsOf({ name, manifest, state }: ObjectSeen, id: string): Field[] {
  if (state.is === "owned") return [];
  if (state.is === "present") return state.fields.map((field) => ({ ...field, path: `${name} ${field.path}` }));
  return [{ path: name, from: manifest.kind === "Namespace" ? { later: id } : null, to: "created" }];
}

function inventoryFields({ objects, inventory }: Applied): Field[] {
  const noted = new Set((inventory?.objects ?? []).map(refKey));
  const missing = objects.filter(({ state, manifest }) => state.is === "present" && !noted.has(refKey(refOf(manifest))));
  return missing.length === 0 ? [] : [{ path: INVENTORY_FIELD, from: null, to: `${missing.length} objects recorded` }];
}

function ownerNotes({ name, state }: ObjectSeen): Finding[] {
  if (state.is !== "owned") return [];
  return [{ level: "warn", code: "ADDON_OWNED", message: `${name} is managed by ${state.by}: left unchanged` }];
}
