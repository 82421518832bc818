import { createPublicKey, sign, verify } from "node:crypto";
import { expect, test } from "vitest";
import { chance } from "../kernel/chance.ts";
import type { Lab } from "../kernel/kernel.ts";
import { derivedEd25519, derivedP256, derivedUuid, newEventId } from "./identity.ts";

const seeded = (seed: string) => ({ chance: (...of: (string | number)[]) => chance(seed, ...of) });

test("derived keys can sign, are the same for the same seed, and differ for another", () => {
  const message = Buffer.from("message");
  for (const derive of [derivedEd25519, derivedP256]) {
    const [key, same, other] = ["a", "a", "b"].map((seed) => derive(seeded(seed), "apid", 1));
    if (!key || !same || !other) throw new Error("no key");
    const digest = derive === derivedP256 ? "sha256" : null;
    const signature = sign(digest, message, key);
    expect(verify(digest, message, createPublicKey(same), signature)).toBe(true);
    expect(verify(digest, message, createPublicKey(other), signature)).toBe(false);
  }
});

test("derived ids have the format of random UUIDs", () => {
  expect(derivedUuid(seeded("a"), "boot", 1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("event ids have the format of xid and increase", () => {
  let now = Date.UTC(2026, 0, 1);
  let n = 0;
  const lab = { now: () => now, serial: () => ++n } as unknown as Lab;
  const ids = Array.from({ length: 100 }, () => {
    now += 300;
    return newEventId(lab);
  });
  for (const id of ids) expect(id).toMatch(/^[0-9a-v]{20}$/);
  expect([...ids].sort()).toEqual(ids);
});
