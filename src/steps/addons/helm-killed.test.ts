import { remoteError } from "@talosmith/lib/errors.ts";
import { describe, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { changesOf } from "../../engine/plan.ts";
import { helmRecord } from "./testing/helm-records.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";
import { expectInstalled, older, plan, up, wanted } from "./testing/one-release.ts";

describe("whatever happens to a run", () => {
  class Killed extends Error {}

  /** All possible initial states of a run. */
  const starts: [string, () => MemoryCluster][] = [
    ["nothing there", () => new MemoryCluster()],
    [
      "an older version",
      () => {
        const kube = new MemoryCluster();
        kube.put(helmRecord(older));
        return kube;
      },
    ],
    [
      "an upgrade cut off",
      () => {
        const kube = new MemoryCluster();
        kube.put(helmRecord(older));
        kube.put(helmRecord({ ...older, revision: 2, status: "pending-upgrade" }));
        return kube;
      },
    ],
  ];

  async function undisturbed(begin: () => MemoryCluster): Promise<number> {
    const kube = begin();
    await up(kube);
    return kube.asked.length;
  }

  type Moment = "before" | "after";

  /** In parallel, because they mostly wait. */
  async function atEach(calls: number, moments: Moment[], work: (at: number, moment: Moment) => Promise<void>): Promise<void> {
    await Promise.all(moments.flatMap((moment) => Array.from({ length: calls }, (_, at) => work(at, moment))));
  }

  test.each(starts)(
    "%s: killed before any call, which is after the one before it, the next run finishes and no Helm runs twice at once",
    async (_, begin) => {
      await atEach(await undisturbed(begin), ["before"], async (at) => {
        const kube = begin();
        kube.onCall = () => {
          if (kube.asked.length > at) throw new Killed();
        };
        await up(kube).catch(() => {});
        kube.onCall = () => {};
        const result = await up(kube);
        expect(result.error?.report()).toBeUndefined();
        expectInstalled(kube);
        expect(changesOf(await plan(kube))).toEqual([]);
      });
    },
  );

  test.each(starts)("%s: one answer lost at any call, and the same run still ends right or the next does", async (_, begin) => {
    await atEach(await undisturbed(begin), ["before", "after"], async (at, moment) => {
      const kube = begin();
      kube.onCall = (_what, when) => {
        if (kube.asked.length !== at + 1 || when !== moment) return;
        throw remoteError("KUBERNETES_UNREACHABLE", { message: "Unable to reach the Kubernetes API", transient: true });
      };
      await up(kube).catch(() => {});
      const result = await up(kube);
      expect(result.error?.report()).toBeUndefined();
      expectInstalled(kube);
    });
  });

  test("every call that changes the cluster was announced in the journal before", async () => {
    const kube = new MemoryCluster();
    const session = testSession();
    let announced = 0;
    const unannounced: string[] = [];
    session.bus.listen((event) => {
      if (event.type === "mutation.intent") announced++;
    });
    kube.onCall = (what, when) => {
      if (when === "after" || !/^(create|apply|delete) /.test(what)) return;
      if (announced-- <= 0) unannounced.push(what);
    };
    await up(kube, wanted, session);
    expect(unannounced).toEqual([]);
  });
});
