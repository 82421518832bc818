import { X509Certificate } from "node:crypto";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { administrators } from "./administrator.ts";
import { authority, bundleWith } from "./testing/fake-node.ts";

const HOUR_MS = 3_600_000;
const real = realWorld();
const ours = await authority(real);

function worldAt(time: { now: number }): World {
  return { ...real, clock: { ...real.clock, now: () => time.now } };
}

/** DER of OID 1.3.6.1.5.5.7.3.2, clientAuth, as the only one in its list: SEQUENCE of 10 bytes. */
const ONLY_CLIENT_AUTH = Buffer.from("300a06082b06010505070302", "hex");

test("an administrator is one for its organization alone, and its certificate good for nothing but to come with", async () => {
  const { certificate } = await administrators(real)(bundleWith(ours));
  const x509 = new X509Certificate(certificate);
  // The Talos API refuses a certificate with another usage besides clientAuth (docs/facts/talos.md#client-certificates).
  expect(x509.raw.includes(ONLY_CLIENT_AUTH)).toBe(true);
  expect(x509.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect([x509.subject, x509.ca, x509.subjectAltName]).toEqual(["O=os:admin", false, undefined]);
  expect(x509.checkIssued(new X509Certificate(ours.certificate))).toBe(true);
});

test("it lives for a day and began an hour ago", async () => {
  const time = { now: Date.parse("2026-11-15T12:00:00Z") };
  const x509 = new X509Certificate((await administrators(worldAt(time))(bundleWith(ours))).certificate);
  expect([Date.parse(x509.validFrom), Date.parse(x509.validTo)]).toEqual([time.now - HOUR_MS, time.now + 24 * HOUR_MS]);
});

test("it is one and the same for half its life, and another one after that", async () => {
  const time = { now: Date.parse("2026-11-15T12:00:00Z") };
  const administrator = administrators(worldAt(time));
  const first = await administrator(bundleWith(ours));
  time.now += 12 * HOUR_MS - 1;
  expect(await administrator(bundleWith(ours))).toBe(first);
  time.now += 1;
  expect((await administrator(bundleWith(ours))).certificate).not.toBe(first.certificate);
});

test("another CA has another administrator", async () => {
  const administrator = administrators(real);
  const first = await administrator(bundleWith(ours));
  const theirs = await authority(real);
  const second = new X509Certificate((await administrator(bundleWith(theirs))).certificate);
  expect(second.verify(new X509Certificate(theirs.certificate).publicKey)).toBe(true);
  expect(await administrator(bundleWith(theirs))).not.toBe(first);
});

test("one that could not be made is tried again", async () => {
  let fails = true;
  const world: World = {
    ...real,
    keys: {
      ...real.keys,
      ed25519: () => {
        if (!fails) return real.keys.ed25519();
        fails = false;
        return Promise.reject(new Error("no entropy"));
      },
    },
  };
  const administrator = administrators(world);
  await expect(administrator(bundleWith(ours))).rejects.toThrow("no entropy");
  expect((await administrator(bundleWith(ours))).certificate).toContain("BEGIN CERTIFICATE");
});
