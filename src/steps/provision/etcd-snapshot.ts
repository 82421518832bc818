import { type Finding, type Step, step } from "../../engine/step.ts";
import { requireSnapshot, type SnapshotOutlook, type Snapshots } from "../../maintenance/snapshot.ts";

const id = "snapshot/etcd";

/** The behaviour when no snapshot can be taken: refuse the removal, or continue with a note. */
export type WithoutSnapshot = "refused" | "told";

/** Takes a snapshot of etcd before all members are removed. */
export function etcdSnapshot(snapshots: Snapshots, without: WithoutSnapshot): Step<SnapshotOutlook, void> {
  let seen: SnapshotOutlook | undefined;
  const isPlanned = ({ is, ...rest }: SnapshotOutlook) =>
    is === "possible" || (is === "impossible" && without === "refused" && !("earlier" in rest));
  return step({
    id,
    stage: "provision",
    title: "etcd snapshot",
    observe: async (c) => {
      // The plan announced a snapshot: when etcd stops after the plan, the step fails.
      const isAnnounced = seen !== undefined && isPlanned(seen);
      const now: SnapshotOutlook = isAnnounced && !snapshots.isDone() ? (seen as SnapshotOutlook) : await snapshots.look(c);
      seen = now;
      return now.is === "no cluster" ? { is: "absent" } : { is: "present", actual: now, owner: "us" };
    },
    plan: (now) =>
      "is" in now && now.is === "present" && isPlanned(now.actual)
        ? [{ id, step: id, verb: "run", subject: "etcd snapshot", fields: [] }]
        : [],
    notes: (now) => (now.is === "present" ? notesOn(now.actual, without) : []),
    guard: (_, c) => (without === "refused" ? requireSnapshot(snapshots, "removing all control planes", c) : Promise.resolve([])),
    apply: (_, c) => snapshots.take(c),
    output: () => undefined,
  });
}

function notesOn(outlook: SnapshotOutlook, without: WithoutSnapshot): Finding[] {
  if (outlook.is !== "impossible") return [];
  const { why, earlier } = outlook;
  const last = earlier === undefined ? "" : `. The last one is ${earlier}`;
  const message = `no snapshot of etcd can be taken: ${why}${last}`;
  const isRefused = without === "refused" && earlier === undefined;
  return [{ level: "warn", code: "NO_SNAPSHOT", message, ...(isRefused && { hint: "to continue without one: --no-snapshot" }) }];
}
