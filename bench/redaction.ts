import { generateKeyPairSync, randomBytes } from "node:crypto";
import { Redactor } from "@talosmith/lib/secret.ts";
import { atMost, type Figure, times } from "./figure.ts";

const EVENTS = 20_000;

/** The cost of redacting events relative to serialising them, and how it grows with the number of secrets. */
export function redaction(): Figure[] {
  const [few, many] = [knowing(10), knowing(500)];
  const written = cpuMs((event) => JSON.stringify(event));
  const [withFew, withMany] = [few, many].map((redactor) => cpuMs((event) => JSON.stringify(redactor.value(event))));
  return [
    {
      name: "an event without secrets over one as it is",
      value: `${((withFew ?? 0) / written).toFixed(1)}× (${(((withFew ?? 0) * 1000) / EVENTS).toFixed(1)} µs)`,
      limit: "10 secrets",
    },
    atMost("the same with 500 secrets over 10: one pass", (withMany ?? 0) / (withFew ?? 1), 1.5, times),
  ];
}

function knowing(count: number): Redactor {
  const redactor = new Redactor();
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 4096 });
  redactor.learn(privateKey.export({ type: "pkcs1", format: "pem" }).toString());
  for (let i = 1; i < count; i++) redactor.learn(randomBytes(32).toString("base64"));
  redactor.text("what was learned is sorted in when it is first needed");
  return redactor;
}

function cpuMs(work: (event: object) => unknown): number {
  const event = (n: number) => ({
    type: "step.waiting",
    step: `provision/machine/worker-${n}`,
    condition: "the machine answers",
    reason: `10.10.0.${n % 250}:50000 refuses connections; SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDuVFtGdrzMBkzLnpM`,
    elapsedMs: n,
    limitMs: 600_000,
  });
  for (let n = 0; n < EVENTS; n++) work(event(n));
  const before = process.cpuUsage();
  for (let n = 0; n < EVENTS; n++) work(event(n));
  return process.cpuUsage(before).user / 1000;
}
