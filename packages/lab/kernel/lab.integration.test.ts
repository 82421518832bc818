import { createHash } from "node:crypto";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { START } from "./clock.ts";
import type { LabOptions, RunningLab, Service } from "./kernel.ts";
import { createLab } from "./lab.ts";
import { stillWorld } from "./still-world.ts";
import { type ToyState, toyService } from "./toy-service.ts";

const opened: RunningLab[] = [];
afterEach(async () => {
  await Promise.allSettled(opened.splice(0).map((lab) => lab.close()));
});

async function labIn(world: World, options: Partial<LabOptions> = {}): Promise<RunningLab> {
  const lab = await createLab(world, { seed: "s", timeScale: 1, services: [toyService()], ...options });
  opened.push(lab);
  return lab;
}

const log = (lab: RunningLab) =>
  lab.state<ToyState>("toy").log.map((line) => line.replace(/\d+$/, (at) => `${Number(at) - START}`));

test("virtual time starts on 1 January 2026 and runs timeScale times as fast", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world, { timeScale: 30 });
  expect(new Date(lab.now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
  world.advance(1000);
  expect(lab.now() - START).toBe(30_000);
});

test("instant is two thousand times the world's clock", async () => {
  const lab = await labIn(stillWorld(realWorld()), { timeScale: "instant" });
  expect(lab.timeScale).toBe(2000);
});

test("transitions run in order of time, then of scheduling, each at exactly its time", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world);
  lab.schedule("toy.note", 20, { what: "c" });
  lab.schedule("toy.note", 10, { what: "a" });
  lab.schedule("toy.note", 10, { what: "b" });
  world.advance(500);
  lab.settle();
  expect(log(lab)).toEqual(["a@10", "b@10", "c@20"]);
});

test("a transition scheduled by a late one runs at its own time, in order with the others", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world);
  lab.schedule("toy.note", 10, { what: "a", again: 10 });
  lab.schedule("toy.note", 30, { what: "b" });
  world.advance(1000);
  lab.settle();
  expect(log(lab)).toEqual(["a@10", "a'@20", "b@30"]);
});

test("a transition not yet due waits", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world);
  lab.schedule("toy.note", 10, { what: "a" });
  world.advance(9);
  lab.settle();
  expect([log(lab), lab.pending()]).toEqual([[], 1]);
});

test("in a turn all due transitions are done, and time stands still", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world);
  lab.schedule("toy.note", 10, { what: "a" });
  world.advance(15);
  const seen = lab.turn(() => {
    world.advance(100);
    return { log: log(lab), now: lab.now() - START };
  });
  expect(seen).toEqual({ log: ["a@10"], now: 15 });
});

test("a started lab runs its transitions by itself, also one that becomes the earliest", async () => {
  const lab = await labIn(realWorld(), { timeScale: 1000 });
  await lab.start();
  lab.schedule("toy.note", 3_600_000_000, { what: "far" });
  await lab.sleep(1000);
  lab.schedule("toy.note", 1000, { what: "near" });
  await expect.poll(() => lab.state<ToyState>("toy").log.length, { interval: 5 }).toBe(1);
});

test("a transition without a handler is refused when it is scheduled", async () => {
  const lab = await labIn(stillWorld(realWorld()));
  expect(() => lab.schedule("toy.nothing", 1, null)).toThrow("Unable to schedule toy.nothing: it has no handler");
});

test("data changed after scheduling does not change the transition", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world);
  const data = { what: "before" };
  lab.schedule("toy.note", 1, data);
  data.what = "after";
  world.advance(1);
  lab.settle();
  expect(log(lab)).toEqual(["before@1"]);
});

test("a transition that throws breaks the lab: every turn and close report it", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world);
  await lab.start();
  lab.schedule("toy.break", 1, null);
  world.advance(1);
  const said = "The lab broke in the transition toy.break: broken on purpose";
  expect(() => lab.settle()).toThrow(said);
  expect(() => lab.turn(() => 1)).toThrow(said);
  await expect(lab.close()).rejects.toThrow(said);
});

test("restore repairs a broken lab", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world);
  const healthy = lab.snapshot();
  lab.schedule("toy.break", 1, null);
  world.advance(1);
  expect(() => lab.settle()).toThrow();
  lab.restore(healthy);
  expect(lab.turn(() => lab.pending())).toBe(0);
});

test("chance is the first 48 bits of the SHA-256 of the seed and the subject", async () => {
  const lab = await labIn(stillWorld(realWorld()), { seed: "seven" });
  const digest = createHash("sha256").update('["seven","clone",104]').digest("hex");
  expect(lab.chance("clone", 104)).toBe(Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48);
});

test("serials count up by name, for any name, and survive a restore", async () => {
  const lab = await labIn(stillWorld(realWorld()));
  expect([lab.serial("upid"), lab.serial("upid"), lab.serial("constructor")]).toEqual([1, 2, 1]);
  lab.restore(lab.snapshot());
  expect([lab.serial("upid"), lab.serial("other")]).toEqual([3, 1]);
});

test("an initial state that would not survive a snapshot is refused", async () => {
  const odd: Service = { name: "odd", initial: () => ({ disks: [{ since: new Map() }] }), endpoints: async () => [] };
  await expect(labIn(realWorld(), { services: [odd] })).rejects.toThrow(
    "Unable to keep odd.disks[0].since in a snapshot: it is not plain data",
  );
});

test("two services cannot have the same name", async () => {
  await expect(labIn(realWorld(), { services: [toyService(), toyService()] })).rejects.toThrow("toy twice");
});

test("sleep ends when the lab closes", async () => {
  const lab = await labIn(realWorld());
  const sleeping = lab.sleep(1e9);
  await Promise.all([expect(sleeping).rejects.toThrow("The lab is closing"), lab.close()]);
});

test("sleep rejects with the reason of its aborted signal", async () => {
  const lab = await labIn(realWorld());
  const stop = new AbortController();
  const sleeping = lab.sleep(1e9, stop.signal);
  stop.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
});

test("after close the endpoints and the addresses are free again", async () => {
  const world = realWorld();
  const lab = await labIn(world);
  await lab.start();
  const { url } = lab.published().toy ?? {};
  expect((await fetch(`${url}/say/hello`, { headers: { connection: "close" } })).status).toBe(200);
  await lab.close();
  await expect(fetch(`${url}/say/hello`, { headers: { connection: "close" } })).rejects.toThrow();
  const next = await labIn(world, { address: lab.address.prefix });
  expect(next.address.cidr).toBe(lab.address.cidr);
});

test("a port in use is an error with a command to find its user", async () => {
  const world = realWorld();
  const lab = await labIn(world);
  const squatter = await world.net.serve({ host: lab.address.host(3), port: 7000 }, () => {});
  try {
    await expect(lab.start()).rejects.toMatchObject({ code: "LAB_ENDPOINT", hint: expect.stringContaining("sport = :7000") });
  } finally {
    await squatter.close();
  }
});

type Move =
  | { do: "schedule"; after: number; what: string; again?: number }
  | { do: "advance"; ms: number }
  | { do: "serial"; name: string }
  | { do: "fault"; resource: string }
  | { do: "rules"; probability: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record(
    { do: fc.constant("schedule" as const), after: fc.nat(50), what: fc.string({ unit: "binary" }), again: fc.nat(50) },
    { requiredKeys: ["do", "after", "what"] },
  ),
  fc.record({ do: fc.constant("advance" as const), ms: fc.nat(40) }),
  fc.record({ do: fc.constant("serial" as const), name: fc.string() }),
  fc.record({ do: fc.constant("fault" as const), resource: fc.string({ unit: "binary" }) }),
  fc.record({ do: fc.constant("rules" as const), probability: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

function make(lab: RunningLab, advance: (ms: number) => void, it: Move): void {
  lab.turn(() => {
    if (it.do === "advance") advance(it.ms);
    else if (it.do === "schedule") {
      lab.schedule("toy.note", it.after, it.again === undefined ? { what: it.what } : { what: it.what, again: it.again });
    } else if (it.do === "serial") lab.serial(it.name);
    else if (it.do === "fault") lab.fault({ service: "toy", site: "GET /", resource: it.resource, mutating: false });
    else
      lab.setFaults([
        { probability: it.probability, fault: { kind: "cut-before" } },
        { occurrence: 2, fault: { kind: "cut-after" } },
      ]);
  });
}

test("snapshot, restore, snapshot gives the same text, in the same lab and in another", async () => {
  const world = stillWorld(realWorld());
  const [one, other] = [await labIn(world), await labIn(world, { seed: "another" })];
  const empty = one.snapshot();
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
      one.restore(empty);
      for (const it of moves) make(one, world.advance, it);
      const snapshot = one.snapshot();
      one.restore(snapshot);
      other.restore(snapshot);
      expect([one.snapshot(), other.snapshot()]).toEqual([snapshot, snapshot]);
    }),
  );
});

test("a lab restored with pending transitions continues like one that never stopped", async () => {
  const world = stillWorld(realWorld());
  const [one, other] = [await labIn(world), await labIn(world)];
  const empty = one.snapshot();
  fc.assert(
    fc.property(fc.array(move, { maxLength: 15 }), fc.array(move, { maxLength: 15 }), (before, after) => {
      one.restore(empty);
      for (const it of before) make(one, world.advance, it);
      other.restore(one.snapshot());
      for (const it of after) {
        // Both labs live in one world: its time must pass only once per step.
        make(one, world.advance, it);
        if (it.do !== "advance") make(other, world.advance, it);
        // The other lab is restored again after every step.
        other.restore(other.snapshot());
      }
      expect(other.snapshot()).toBe(one.snapshot());
    }),
  );
});

test("restore goes back in time and discards later events", async () => {
  const world = stillWorld(realWorld());
  const lab = await labIn(world);
  lab.schedule("toy.note", 10, { what: "a" });
  const before = lab.snapshot();
  world.advance(10);
  lab.settle();
  lab.restore(before);
  expect([lab.now() - START, log(lab), lab.pending()]).toEqual([0, [], 1]);
});

test("a running lab runs restored transitions by itself", async () => {
  const lab = await labIn(realWorld(), { timeScale: 1000 });
  await lab.start();
  lab.schedule("toy.note", 300_000, { what: "a" });
  const snapshot = lab.snapshot();
  await expect.poll(() => lab.state<ToyState>("toy").log.length, { interval: 5 }).toBe(1);
  lab.restore(snapshot);
  expect(lab.state<ToyState>("toy").log.length).toBe(0);
  await expect.poll(() => lab.state<ToyState>("toy").log.length, { interval: 5 }).toBe(1);
});

test.each([
  ["{", "it is not JSON"],
  ["{}", "version"],
  [
    '{"version":1,"now":0,"seed":"","transitions":{"nextOrder":1,"pending":[]},"faults":{"rules":[],"occurrences":{}},"serials":{},"services":{"proxmox":{}}}',
    "it has the services proxmox, this lab has toy",
  ],
])("an invalid snapshot is refused with the reason: %s", async (text, reason) => {
  const lab = await labIn(stillWorld(realWorld()));
  const before = lab.snapshot();
  expect(() => lab.restore(text)).toThrow(
    expect.objectContaining({ code: "LAB_SNAPSHOT", detail: expect.stringContaining(reason) }),
  );
  expect(lab.snapshot()).toBe(before);
});
