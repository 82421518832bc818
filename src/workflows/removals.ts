import type { AnyStep, Change, Field, Ref, WorkItem } from "../engine/step.ts";
import type { Maintenance } from "../maintenance/maintenance.ts";
import type { Snapshots } from "../maintenance/snapshot.ts";
import type { Owned, Provisioning } from "../platforms/platform.ts";
import { departure, departureStep } from "../steps/provision/departure.ts";
import { etcdSnapshot } from "../steps/provision/etcd-snapshot.ts";
import type { Leavers } from "../steps/provision/leavers.ts";
import type { Given } from "./workflow.ts";

/** Removes machines that are no longer in the config, each after its node has left the cluster. They need --allow-remove. */
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
  // Without a mark only the nodes know whether etcd exists.
  const first = leavers.noneStays ? [etcdSnapshot(snapshots, "refused")] : [];
  const gone = removed.flatMap((owned) =>
    platform
      .removal(owned, owned.name)
      .map((item) => leaving(item, owned, leavers, [...departureOf(owned, leavers), ...first.map(({ out }) => out)])),
  );
  return [...departures, ...first, ...gone];
}

/**
 * The steps of all machines. A machine to be replaced waits until its node has left the cluster. When no control plane stays, new machines wait
 * until the old ones are removed: they would join the cluster that is about to be lost.
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
    return leaving(item, owned, leavers, [...after, ...departureOf(owned, leavers)]);
  });
}

function departureOf({ name }: Owned, { staying }: Leavers): Ref<unknown>[] {
  return staying.length === 0 ? [] : [{ step: departureStep(name) }];
}

/** A step that removes a machine, after the given steps, and with the loss of etcd among its changes. */
function leaving(item: AnyStep, owned: Owned, leavers: Leavers, after: readonly Ref<unknown>[]): AnyStep {
  const lost = leavers.etcdIsLost && owned.bootstrapped;
  const withLoss = (change: Change): Change =>
    change.needsConsent === undefined ? change : { ...change, fields: [...change.fields, LOST] };
  return {
    ...item,
    needs: [...item.needs, ...after],
    plan: (seen, c) => (lost ? item.plan(seen, c).map(withLoss) : item.plan(seen, c)),
  };
}

const LOST: Field = { path: "etcd", from: "the cluster's only copy", to: "lost" };
