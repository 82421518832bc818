import type { AnyStep, Change, Field, Ref, WorkItem } from "../engine/step.ts";
import type { Maintenance } from "../maintenance/maintenance.ts";
import type { Snapshots } from "../maintenance/snapshot.ts";
import type { Owned, Provisioning } from "../platforms/platform.ts";
import { departure, departureStep } from "../steps/provision/departure.ts";
import { etcdSnapshot } from "../steps/provision/etcd-snapshot.ts";
import type { Leavers } from "../steps/provision/leavers.ts";
import type { Given } from "./workflow.ts";

/** What exists and is ours, but is no longer in the config. It takes leave of the cluster first, and goes only when the person names it. */
export function removals(
  { platform, talos, kubernetes }: Given,
  leavers: Leavers,
  { maintenance, snapshots }: { maintenance: Maintenance; snapshots: Snapshots },
): AnyStep[] {
  const { removed, replaced, staying } = leavers;
  const going = [...removed, ...replaced];
  const departures =
    staying.length === 0
      ? []
      : going.map((owned) => departure({ owned, leavers, talos, kube: kubernetes, maintenance, snapshots }));
  // Without a mark only the nodes can tell whether there is an etcd.
  const first = leavers.noneStays ? [etcdSnapshot(snapshots, "refused")] : [];
  const gone = removed.flatMap((owned) =>
    platform
      .removal(owned, owned.name)
      .map((item) => leaving(item, owned, leavers, [...farewell(owned, leavers), ...first.map(({ out }) => out)])),
  );
  return [...departures, ...first, ...gone];
}

/**
 * The machines, each that is to be made anew after it has taken leave. When the whole cluster goes, those of the next one come after: they would
 * join what is about to be lost.
 */
export function machines(
  { platform, found }: Given,
  leavers: Leavers,
  gone: readonly AnyStep[],
  provisioning: Provisioning,
): WorkItem[] {
  const after = leavers.noneStays ? gone.map((item) => item.out) : [];
  const owners = new Map(leavers.replaced.map((owned) => [platform.machine(owned.name).step, owned]));
  return platform.steps("provision", found, provisioning).map((item) => {
    if (item.kind === "check") return item;
    const owned = owners.get(item.id);
    if (!owned) return { ...item, needs: [...item.needs, ...after] };
    return leaving(item, owned, leavers, [...after, ...farewell(owned, leavers)]);
  });
}

function farewell({ name }: Owned, { staying }: Leavers): Ref<unknown>[] {
  return staying.length === 0 ? [] : [{ step: departureStep(name) }];
}

/** A step after which a machine is no more, with what that means for the cluster. */
function leaving(item: AnyStep, owned: Owned, leavers: Leavers, after: readonly Ref<unknown>[]): AnyStep {
  const lost = leavers.etcdIsLost && owned.bootstrapped;
  const told = (change: Change): Change =>
    change.needsConsent === undefined ? change : { ...change, fields: [...change.fields, LOST] };
  return {
    ...item,
    needs: [...item.needs, ...after],
    plan: (seen, c) => (lost ? item.plan(seen, c).map(told) : item.plan(seen, c)),
  };
}

const LOST: Field = { path: "etcd", from: "the cluster's only copy", to: "lost" };
