import { expect } from "vitest";
import type { Fault, KnownRefusal, Recorded, RunningLab } from "../kernel.ts";

/** A response as a client received it. */
export interface Heard {
  /** An HTTP status, a gRPC code or an exit code. undefined: the connection was lost. */
  status: number | undefined;
  text: string;
  /** Number of parts in which it arrived. */
  pieces: number;
}

/** A call of a service by a client that knows nothing of the lab. */
export interface BreakableCall {
  service: string;
  site: string;
  /** `n` is a new number each time, for objects with unique names. */
  make(n: number): Promise<Heard>;
  /** The state that the call changes: another value after each call. Absent when it only reads. */
  effect?(): unknown;
  /** The call changes something, but its response is the same every time. */
  saysTheSame?: true;
}

const DELAY_MS = 30_000;

/** Checks that every kind of fault has its effect on this call, and that the call works without one. */
export async function meetsFaults(lab: RunningLab, call: BreakableCall, refusal: Omit<KnownRefusal, "when">): Promise<void> {
  const { service, site, effect = () => undefined } = call;
  let n = 0;
  const broken = async (fault?: Fault) => {
    lab.setFaults(fault ? [{ service, site, times: 1, fault }] : []);
    const before = { effect: JSON.stringify(effect()), at: lab.now() };
    const heard = await call.make(n++);
    const recorded = lab.recorder.calls().filter((one) => one.service === service && one.site === site);
    const fired = lab.faultCounts().map((one) => one.fired);
    lab.setFaults([]);
    const happened = call.effect === undefined ? undefined : JSON.stringify(effect()) !== before.effect;
    expect(fired, `${site}: the fault is met once`).toEqual(fault ? [1] : []);
    return { ...heard, happened, took: lab.now() - before.at, recorded: recorded.findLast((one) => one.fault === fault?.kind) };
  };
  const changes = call.effect === undefined ? undefined : true;
  const nothing = call.effect === undefined ? undefined : false;

  const plain = await broken();
  expect(plain, `${site}: undisturbed`).toMatchObject({ status: expect.any(Number), happened: changes });

  const refused = await broken({ kind: "refuse", ...refusal });
  expect(refused, `${site}: refuse`).toMatchObject({ status: refusal.status, happened: nothing });
  expect(refused.text, `${site}: refuse`).toContain(refusal.message);
  expect(refused.recorded?.status).toBe(refusal.status);

  for (const kind of ["cut-before", "cut-after"] as const) {
    const lost = await broken({ kind });
    expect(lost, `${site}: ${kind}`).toMatchObject({ status: undefined, happened: kind === "cut-after" ? changes : nothing });
    expect(lost.recorded, `${site}: ${kind}`).toMatchObject({ fault: kind } satisfies Partial<Recorded>);
    expect(lost.recorded, `${site}: ${kind}`).not.toHaveProperty("status");
  }

  const late = await broken({ kind: "delay", ms: DELAY_MS });
  expect(late, `${site}: delay`).toMatchObject({ status: plain.status, happened: changes });
  expect(late.took, `${site}: delay`).toBeGreaterThanOrEqual(DELAY_MS);

  const dripped = await broken({ kind: "drip", bytes: 3 });
  expect(dripped, `${site}: drip`).toMatchObject({ status: plain.status, happened: changes });
  if (call.effect === undefined || call.saysTheSame) expect(dripped.text, `${site}: drip`).toBe(plain.text);
  if (plain.text.length > 3) expect(dripped.pieces, `${site}: drip`).toBeGreaterThan(1);
}
