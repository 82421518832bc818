import { createHash } from "node:crypto";
import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { testSession } from "../../test/support/toy.ts";
import { writeContext } from "../engine/context.ts";
import { createRun } from "../environment/runs.ts";
import type { EtcdStatus, TalosNode } from "../talos/api/talos-node.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { openSnapshots, requireSnapshot, type SnapshotSpec } from "./snapshot.ts";

const HEALTHY = { leader: 1n, isLearner: false };
const silent = (): never => {
  throw remoteError("TALOS_UNAVAILABLE", {
    message: "Unable to read the state of etcd",
    detail: "connection refused",
    transient: true,
  });
};

function whole(): Buffer {
  const database = Buffer.alloc(4096, 7);
  return Buffer.concat([database, createHash("sha256").update(database).digest()]);
}

type Etcd = { status: () => Partial<EtcdStatus>; sends?: () => Buffer | Buffer[]; data?: boolean };

class Scene {
  readonly session = testSession({ clock: instantClock() });
  readonly asked: string[] = [];
  readonly notices: string[] = [];
  readonly etcd: Record<string, Etcd>;

  constructor(etcd: Record<string, Etcd>) {
    this.etcd = etcd;
    this.session.world.files.makeFolder("/env", 0o700);
  }

  c() {
    return writeContext(this.session, "step", new Map());
  }

  open(more: Partial<SnapshotSpec> = {}) {
    const node = (ip: string) => {
      const { status, sends = whole, data = false } = this.etcd[ip] as Etcd;
      const sent = this.asked;
      return {
        etcdStatus: async () => status() as EtcdStatus,
        hasEtcdData: async () => data,
        async *etcdSnapshot() {
          sent.push(ip);
          yield* [sends()].flat();
        },
      } as Partial<TalosNode> as TalosNode;
    };
    return openSnapshots({
      env: { folder: "/env", shown: "env", config: { backup: { recipients: [] } } },
      talos: { node } as Partial<TalosNodes> as TalosNodes,
      controlPlanes: Object.keys(this.etcd).map((ip) => ({ name: `cp-${ip}`, ip })),
      bootstrapped: true,
      wanted: true,
      notice: (message) => void this.notices.push(message),
      ...more,
    });
  }

  now() {
    return this.session.world.clock.monotonic();
  }

  kept() {
    return this.session.world.files.list("/env/.talosmith/snapshots") ?? [];
  }
}

test("one snapshot is taken per run, however many steps ask for it, and a notice names its path", async () => {
  const scene = new Scene({ 1: { status: () => HEALTHY }, 2: { status: () => HEALTHY } });
  const snapshots = scene.open();
  expect(await snapshots.look(scene.c())).toEqual({ is: "possible" });
  await Promise.all([snapshots.take(scene.c()), snapshots.take(scene.c())]);
  await snapshots.take(scene.c());
  expect(scene.asked).toEqual(["1"]);
  expect(scene.kept()).toHaveLength(1);
  expect(scene.notices).toEqual([`snapshot of etcd: env/.talosmith/snapshots/${scene.kept()[0]}`]);
  expect(await snapshots.look(scene.c())).toEqual({ is: "done" });
});

test("a member that follows a leader is preferred, one without a leader still serves, and a learner does not", async () => {
  const alone = { status: () => ({ leader: 0n, isLearner: false }) };
  const learner = { status: () => ({ leader: 1n, isLearner: true }) };
  const first = new Scene({ 1: alone, 2: learner, 3: { status: () => HEALTHY } });
  await first.open().take(first.c());
  expect(first.asked).toEqual(["3"]);
  const second = new Scene({ 1: { status: silent }, 2: learner, 3: alone });
  await second.open().take(second.c());
  expect(second.asked).toEqual(["3"]);
});

test("when one control plane sends a damaged snapshot, the next one is queried", async () => {
  const scene = new Scene({ 1: { status: () => HEALTHY, sends: () => whole().subarray(0, 4096) }, 2: { status: () => HEALTHY } });
  await scene.open().take(scene.c());
  expect(scene.asked).toEqual(["1", "2"]);
  expect(scene.kept()).toHaveLength(1);
});

test("when all fail, the error names each reason and the flag, and can be retried", async () => {
  const scene = new Scene({ 1: { status: () => HEALTHY, sends: () => Buffer.alloc(0) }, 2: { status: silent } });
  const snapshots = scene.open();
  await expect(snapshots.take(scene.c())).rejects.toMatchObject({
    code: "NO_SNAPSHOT",
    detail:
      "cp-2: connection refused\nThe snapshot of etcd is incomplete or damaged: it ended after 0 bytes, without its checksum",
    hint: expect.stringContaining("--no-snapshot"),
    transient: true,
  });
  (scene.etcd[1] as Etcd).sends = whole;
  await snapshots.take(scene.c());
  expect(scene.kept()).toHaveLength(1);
});

test("one lost answer is not taken for an etcd that does not answer", async () => {
  let calls = 0;
  const scene = new Scene({ 1: { status: () => (calls++ === 0 ? silent() : HEALTHY) } });
  expect(await scene.open().look(scene.c())).toEqual({ is: "possible" });
});

test("an etcd that does not answer is not mistaken for a cluster that never existed", async () => {
  const scene = new Scene({ 1: { status: silent, data: false } });
  const why = "cp-1: connection refused";
  expect(await scene.open().look(scene.c())).toEqual({ is: "impossible", why });
  expect(await scene.open({ bootstrapped: false }).look(scene.c())).toEqual({ is: "no cluster" });
  (scene.etcd[1] as Etcd).data = true;
  expect(await scene.open({ bootstrapped: false }).look(scene.c())).toEqual({ is: "impossible", why });
  expect(await scene.open({ controlPlanes: [] }).look(scene.c())).toEqual({ is: "impossible", why: "no control plane runs" });
});

test("a snapshot is named when no other can be taken, if it is from a run that did not end well", async () => {
  const scene = new Scene({ 1: { status: () => HEALTHY } });
  const run = createRun(scene.session.world, "/env");
  await scene.open().take(scene.c());
  (scene.etcd[1] as Etcd).status = silent;
  const earlier = `env/.talosmith/snapshots/${scene.kept()[0]}`;
  expect(await scene.open().look(scene.c())).toMatchObject({ is: "impossible", earlier });
  const finished = '{"at":"","type":"run.finished","outcome":"ok"}\n';
  scene.session.world.files.create(run.journal, Buffer.from(finished), 0o600);
  expect(await scene.open().look(scene.c())).not.toHaveProperty("earlier");
});

test("with --no-snapshot no control plane is queried and no finding is reported", async () => {
  const scene = new Scene({ 1: { status: silent } });
  const snapshots = scene.open({ wanted: false });
  expect(await requireSnapshot(snapshots, "the departure of cp-1", scene.c())).toEqual([]);
  await snapshots.take(scene.c());
  expect(scene.kept()).toEqual([]);
});

test("a step that needs a snapshot is refused when none can be taken", async () => {
  const scene = new Scene({ 1: { status: silent } });
  expect(await requireSnapshot(scene.open(), "the departure of cp-1", scene.c())).toEqual([
    {
      level: "fail",
      code: "NO_SNAPSHOT",
      message: "the departure of cp-1 needs a snapshot of etcd first, but none can be taken: cp-1: connection refused",
      hint: "repair etcd, then run the same command again; or continue without a snapshot: --no-snapshot",
    },
  ]);
});

test("an interrupt while etcd is looked at is not taken for a cluster that never existed", async () => {
  const scene = new Scene({ 1: { status: silent } });
  const snapshots = scene.open({
    bootstrapped: false,
    talos: {
      node: () => ({
        etcdStatus: async () => silent(),
        hasEtcdData: async () => {
          scene.session.abort();
          throw scene.session.signal.reason;
        },
      }),
    } as unknown as TalosNodes,
  });
  await expect(snapshots.look(scene.c())).rejects.toThrow(/^interrupted$/);
});

test("a full disk ends the attempts, and the error names the flag as well as what to do", async () => {
  const scene = new Scene({ 1: { status: () => HEALTHY }, 2: { status: () => HEALTHY } });
  scene.session.world.files.append = () => {
    throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  };
  await expect(scene.open().take(scene.c())).rejects.toMatchObject({
    kind: "user",
    hint: expect.stringMatching(/.+\nor continue without a snapshot: --no-snapshot$/),
  });
  expect(scene.asked).toEqual(["1"]);
});

test("this run has no snapshot until it took one, or when it is to take none", async () => {
  const scene = new Scene({ 1: { status: () => HEALTHY } });
  const snapshots = scene.open();
  expect(snapshots.isDone()).toBe(false);
  await snapshots.take(scene.c());
  expect(snapshots.isDone()).toBe(true);
  expect(scene.open({ wanted: false }).isDone()).toBe(true);
});

test("an etcd that does not answer is asked twice, two seconds apart", async () => {
  let calls = 0;
  const status = () => {
    calls++;
    return silent();
  };
  const scene = new Scene({ 1: { status } });
  expect(await scene.open().look(scene.c())).toMatchObject({ is: "impossible" });
  expect([calls, scene.now()]).toEqual([2, 2_000]);
});

test.each<[string, Etcd, boolean]>([
  ["answers", { status: () => HEALTHY }, true],
  ["never was", { status: silent, data: false }, false],
])("an etcd that %s is asked once", async (_, etcd, bootstrapped) => {
  let calls = 0;
  const status = () => {
    calls++;
    return etcd.status();
  };
  const scene = new Scene({ 1: { ...etcd, status } });
  await scene.open({ bootstrapped }).look(scene.c());
  expect([calls, scene.now()]).toEqual([1, 0]);
});

test("a control plane that does not say whether it has data has none as far as anything tells", async () => {
  const scene = new Scene({ 1: { status: silent } });
  const node = { etcdStatus: async () => silent(), hasEtcdData: async () => silent() };
  const talos = { node: () => node } as unknown as TalosNodes;
  expect(await scene.open({ bootstrapped: false, talos }).look(scene.c())).toEqual({ is: "no cluster" });
});

test("the reasons why no control plane can serve are all named, each in one line", async () => {
  const refused = () => {
    throw remoteError("NO", { message: "not allowed" });
  };
  const wordy = () => {
    throw remoteError("NO", { message: "no", detail: "certificate expired\nyesterday" });
  };
  const joining = { status: () => ({ leader: 1n, isLearner: true }) };
  const scene = new Scene({ 1: { status: refused }, 2: { status: wordy }, 3: joining });
  const why = "cp-1: not allowed; cp-2: certificate expired; cp-3 is still joining etcd";
  expect(await scene.open().look(scene.c())).toEqual({ is: "impossible", why });
});

test("only a snapshot that is as young as the first of the failed runs is named", async () => {
  const scene = new Scene({ 1: { status: () => HEALTHY } });
  const { clock } = scene.session.world;
  const outlook = async () => {
    const { etcd } = scene;
    (etcd[1] as Etcd).status = silent;
    const found = await scene.open().look(scene.c());
    (etcd[1] as Etcd).status = () => HEALTHY;
    return "earlier" in found ? found.earlier : undefined;
  };
  await scene.open().take(scene.c());
  expect(await outlook()).toBeUndefined();
  await clock.sleep(5_000);
  createRun(scene.session.world, "/env");
  expect(await outlook()).toBeUndefined();
  await clock.sleep(5_000);
  await scene.open().take(scene.c());
  await clock.sleep(5_000);
  await scene.open().take(scene.c());
  expect(await outlook()).toBe(`env/.talosmith/snapshots/${scene.kept().sort().at(-1)}`);
});

test("progress is reported once per MiB", async () => {
  const database = Buffer.alloc(2.5 * 1024 ** 2, 7);
  const half = 512 * 1024;
  const parts = Array.from({ length: 5 }, (_, n) => database.subarray(n * half, (n + 1) * half));
  const sends = () => [...parts, createHash("sha256").update(database).digest()];
  const scene = new Scene({ 1: { status: () => HEALTHY, sends } });
  await scene.open().take(scene.c());
  const said = scene.session.events.flatMap((event) => (event.type === "step.progress" ? [event.text] : []));
  expect(said).toEqual(["snapshot of etcd: 1 MiB", "snapshot of etcd: 2 MiB", "snapshot of etcd: 3 MiB"]);
});

const failing = (transient: boolean): Etcd => ({
  status: () => HEALTHY,
  sends: () => {
    throw remoteError("NO", { message: "refused", transient });
  },
});

test.each<[string, Record<string, Etcd>, boolean]>([
  ["no control plane answers", { 1: { status: silent } }, false],
  ["all fail in a way that may pass", { 1: failing(true), 2: failing(true) }, true],
  ["one refuses", { 1: failing(true), 2: failing(false) }, false],
])("when %s, whether it makes sense to try again", async (_, etcd, transient) => {
  const scene = new Scene(etcd);
  await expect(scene.open().take(scene.c())).rejects.toMatchObject({ code: "NO_SNAPSHOT", transient });
});

test("without a control plane no snapshot can be taken", async () => {
  const scene = new Scene({});
  await expect(scene.open().take(scene.c())).rejects.toMatchObject({
    code: "NO_SNAPSHOT",
    detail: "no control plane runs",
    transient: false,
  });
});

test("a bug ends the attempts, and is not hidden behind the flag", async () => {
  const sends = () => {
    throw new TypeError("x is not a function");
  };
  const scene = new Scene({ 1: { status: () => HEALTHY, sends }, 2: { status: () => HEALTHY } });
  await expect(scene.open().take(scene.c())).rejects.toMatchObject({ kind: "internal", hint: undefined });
  expect(scene.asked).toEqual(["1"]);
});

test("after an interrupt no other control plane is asked for a snapshot", async () => {
  const scene = new Scene({ 1: failing(true), 2: { status: () => HEALTHY } });
  (scene.etcd[1] as Etcd).sends = () => {
    scene.session.abort();
    return silent();
  };
  await expect(scene.open().take(scene.c())).rejects.toThrow(/^interrupted$/);
  expect(scene.asked).toEqual(["1"]);
});

test("an interrupt while etcd is asked a second time is not taken for an etcd that does not answer", async () => {
  let calls = 0;
  const scene = new Scene({ 1: { status: () => HEALTHY } });
  (scene.etcd[1] as Etcd).status = () => {
    if (++calls === 2) scene.session.abort();
    return silent();
  };
  await expect(scene.open().look(scene.c())).rejects.toThrow(/^interrupted$/);
});

test("a step that needs a snapshot may begin when one can be taken, was taken, or there is no cluster", async () => {
  const healthy = new Scene({ 1: { status: () => HEALTHY } });
  const snapshots = healthy.open();
  expect(await requireSnapshot(snapshots, "the departure of cp-1", healthy.c())).toEqual([]);
  await snapshots.take(healthy.c());
  expect(await requireSnapshot(snapshots, "the departure of cp-1", healthy.c())).toEqual([]);
  const none = new Scene({ 1: { status: silent } });
  expect(await requireSnapshot(none.open({ bootstrapped: false }), "the departure of cp-1", none.c())).toEqual([]);
});
