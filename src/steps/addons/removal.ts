import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { PRESETS } from "../../catalog/addons/presets.ts";
import { nearest } from "../../config/nearest.ts";
import { addonName } from "../../config/told-presets.ts";
import { type Change, type Finding, known, type Later, type Step, step, type Write } from "../../engine/step.ts";
import { environmentId } from "../../environment/environment.ts";
import type { ObjectRef } from "../../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../../kubernetes/conditions.ts";
import { ageKey, wantsAgeKey } from "../generate/age-key.ts";
import { CLUSTER_NEEDS, type Cluster, lookInside, mayExist } from "./cluster.ts";
import { nobodyAtWork, removeInstallers, uninstall } from "./helm-install.ts";
import { type PartInventory, refName, removeInventory, writeInventory } from "./inventory.ts";
import { type Behind, type Left, leftAddons, type Sources, strayRights } from "./left.ts";

interface Remains extends Behind {
  /** Releases with installer permissions left by an interrupted run. */
  strays: { name: string; namespace: string }[];
}

/** Addons that are no longer in the config: reported and kept, or removed when the user names them. */
export function leftBehind(
  cluster: Cluster,
  sources: Sources,
  remove: readonly string[],
  wasRemoved: (addon: string) => boolean,
): Step<Remains, void> {
  const { env, kube } = cluster;
  const id = "addon/left";
  /** Leftovers of a configured addon can be named too; while they are being removed, this is no error. */
  const begun = new Set<string>();
  return step({
    id,
    stage: "addons",
    title: "addons no longer in the config",
    needs: [...CLUSTER_NEEDS, ...(wantsAgeKey(env) ? [ageKey] : [])],
    observe: (c) =>
      lookInside(cluster, id, c, async () => {
        const [{ left, stale, installed }, strays] = await Promise.all([
          leftAddons(cluster, sources, c),
          strayRights(cluster, c),
        ]);
        const isWanted = (name: string) => env.config.addons.all.some((addon) => addon.name === name);
        const wanted = remove.find((name) => !begun.has(name) && isWanted(name) && !left.some(({ addon }) => addon === name));
        if (wanted !== undefined) throw inConfig(cluster, wanted);
        const known = [...installed, ...Object.keys(PRESETS).map(addonName)];
        const unknown = remove.find((name) => !begun.has(name) && !known.includes(name) && !wasRemoved(name));
        if (unknown !== undefined) throw noSuchAddon(unknown, known, left);
        return { is: "present", actual: { left, stale, installed, strays }, owner: "us" };
      }),
    plan: (seen) => {
      if ("later" in seen) return mayExist(cluster) ? remove.map((addon) => unseen(id, addon, seen)) : [];
      if (seen.is !== "present") return [];
      const { left, stale, strays } = seen.actual;
      return [
        ...left.filter(({ addon }) => remove.includes(addon)).map((one) => removal(id, one)),
        ...strays.map((one) => tidying(id, one)),
        ...stale.map((one) => forgetting(id, one)),
      ];
    },
    notes: (seen) => {
      if (seen.is !== "present") return [];
      const { left } = seen.actual;
      const gone = remove.filter((name) => !left.some(({ addon }) => addon === name));
      return [
        ...gone.map(notThere),
        ...left.flatMap((one) => (remove.includes(one.addon) ? one.holders.map(stays) : [note(env.shown, one)])),
      ];
    },
    apply: async (_, c) => {
      const { left: all, stale } = await leftAddons(cluster, sources, c);
      for (const left of all) {
        if (!remove.includes(left.addon)) continue;
        begun.add(left.addon);
        // In reverse order of creation, so that a controller can still finalize its objects.
        const lastFirst = [...left.objects].reverse();
        for (const ref of lastFirst.filter(isOfAController)) await removeWholly(cluster, c, ref);
        for (const release of left.releases) {
          await uninstall(kube, c, release, env.config.addons.helmImage);
          await removeInstallers(kube, c, release);
        }
        for (const ref of lastFirst.filter((one) => !isOfAController(one))) await removeObject(cluster, c, ref);
        await forget(cluster, c, left);
      }
      for (const { name } of stale) await removeInventory(kube, c, name);
      for (const release of await strayRights(cluster, c)) {
        await nobodyAtWork(kube, c, release);
        await removeInstallers(kube, c, release);
      }
    },
    output: () => undefined,
  });
}

function contentsOf({ releases, objects }: Left): string[] {
  return [...releases.map(({ name, namespace }) => `release ${namespace}/${name}`), ...objects.map(refName)];
}

function removal(id: string, left: Left): Change {
  const fields = contentsOf(left).map((path) => ({ path, from: path, to: null }));
  return { id: `${id}/${left.addon}`, step: id, verb: "delete", subject: left.addon, fields };
}

function tidying(id: string, { name, namespace }: { name: string; namespace: string }): Change {
  const fields = [{ path: "installer", from: "left over from an earlier run, with its permissions", to: "removed" }];
  return {
    id: `${id}/${namespace}/${name}`,
    step: id,
    verb: "update",
    subject: `Helm installer of ${namespace}/${name}`,
    fields,
  };
}

function forgetting(id: string, { name, addon, part }: PartInventory): Change {
  const fields = [{ path: `ConfigMap ${name}`, from: "lists no existing object", to: "removed" }];
  return { id: `${id}/${name}`, step: id, verb: "update", subject: `record of ${addon}/${part}`, fields };
}

/** Its content is known once the cluster answers. */
function unseen(id: string, addon: string, later: Later): Change {
  return {
    id: `${id}/${addon}`,
    step: id,
    verb: "delete",
    subject: addon,
    fields: [{ path: "all objects", from: later, to: null }],
  };
}

function note(shown: string, left: Left): Finding {
  return {
    level: "warn",
    code: "ADDON_LEFT",
    message: `${left.addon} is in the cluster, but no longer in the config (${contentsOf(left).join(", ")}): left unchanged`,
    hint: `to remove it:  ${ownCommand("up", shown, "--remove-addon", left.addon)}`,
  };
}

function stays(ref: ObjectRef): Finding {
  const kind = ref.kind === "Namespace" ? "namespace" : "crd";
  return {
    level: "ok",
    code: "ADDON_HOLDER",
    message: `${refName(ref)} is kept: deleting it would also delete objects in it that talosmith did not create`,
    hint: `to remove it with everything in it:  kubectl delete ${kind} ${ref.name}`,
  };
}

/** Whether it is an object of a custom kind. */
function isOfAController({ apiVersion }: ObjectRef): boolean {
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return group.includes(".") && !group.endsWith(".k8s.io");
}

async function removeWholly(cluster: Cluster, c: Write, ref: ObjectRef): Promise<void> {
  await removeObject(cluster, c, ref);
  await c.until(
    kubernetesCondition(`${refName(ref)} is gone`, 5 * 60_000, async ({ signal }) => {
      const live = (await cluster.kube.knows(ref, signal)) ? await cluster.kube.get(ref, signal) : undefined;
      const waits = live?.metadata.finalizers?.join(", ");
      return live ? { reason: waits ? `it waits for ${waits}` : "it is being removed" } : true;
    }),
  );
}

async function removeObject({ kube }: Cluster, c: Write, ref: ObjectRef): Promise<void> {
  await c.mutate({ key: refName(ref), what: `remove ${refName(ref)}` }, () => kube.delete(ref, {}, c.signal));
}

async function forget({ kube }: Cluster, c: Write, left: Left): Promise<void> {
  for (const { of, stays } of left.inventories) {
    if (stays.length === 0) await removeInventory(kube, c, of.name);
    else await writeInventory(kube, c, known(c, environmentId), { ...of, objects: stays });
  }
}

function inConfig({ env }: Cluster, name: string) {
  return userError("NO_SUCH_ADDON", {
    message: `Unable to remove ${name}: it is in the config`,
    hint: `remove it from ${env.shown}/config.yaml first. Nothing was changed.`,
  });
}

function noSuchAddon(name: string, known: readonly string[], left: readonly Left[]) {
  const near = nearest(name, known);
  return userError("NO_SUCH_ADDON", {
    message: `--remove-addon ${name}: there is no addon of this name`,
    detail:
      left.length === 0 ? "the cluster has no leftover addons" : `leftover addons: ${left.map(({ addon }) => addon).join(", ")}`,
    hint: `${near === undefined ? "correct the name, or leave it out." : `did you mean ${near}?`} Nothing was changed.`,
  });
}

/** An interrupted run may have removed it already, so naming it again is no error. */
function notThere(name: string): Finding {
  return { level: "warn", code: "NO_SUCH_ADDON", message: `the cluster has no leftover addon ${name} to remove` };
}
