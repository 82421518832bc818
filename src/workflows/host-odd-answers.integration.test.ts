import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runs } from "../../test/support/runs.ts";
import { testSession } from "../../test/support/toy.ts";
import { errorsOf, makePlan } from "../engine/plan.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { preparation } from "../platforms/proxmox/host/preparation.ts";
import { type Execute, rootBy } from "../platforms/proxmox/host/root.ts";
import { survey } from "../platforms/proxmox/host/survey.ts";
import { readWish } from "../platforms/proxmox/host/wish.ts";
import type { ProxmoxEnvironment } from "../platforms/proxmox/proxmox-environment.ts";
import { closeLab, FOLDER, files, fresh, sh } from "./testing/unprepared-hosts.ts";

/* Whatever a host prints, what there is to do can be said, or why it cannot; and looking changes nothing. */

beforeAll(() =>
  fresh({
    proxmox: { gpus: { pve2: ["nvidia rtx 4090"] }, iommu: false },
    firstWorker: "host: pve2, pci: [{ mapping: gpu0, gpu: nvidia }]",
  }),
);
afterAll(closeLab);

async function plannedBy(execute: Execute): Promise<TalosmithError[]> {
  const session = testSession({ files });
  const redactor = new Redactor();
  const env = openEnvironment(session.world, FOLDER, redactor, { withoutLogin: true }) as ProxmoxEnvironment;
  try {
    const root = await rootBy(execute, env.config.proxmox.ssh, () => {});
    const wish = readWish({ reboot: ["pve2"] });
    const items = preparation({ env, root, wish, survey: await survey(root, env), redactor });
    return errorsOf(await makePlan(items, session));
  } catch (error) {
    return [asTalosmithError(error)];
  }
}

type Damage = (stdout: string) => string;

/** Distortions of a command's output: lost, cut, of another shape, with values of other types, or with text in between. */
const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc
    .constantFrom("", "null", "[]", "{}", "[null]", "[[]]", '"x"', "0", "[{}]", "<html>", "\u001b[2J", "[".repeat(30_000))
    .map((text) => () => text),
  fc.nat(400).map((at) => (stdout: string) => stdout.slice(0, at)),
  fc.tuple(fc.nat(400), fc.string({ unit: "binary", maxLength: 20 })).map(
    ([at, text]) =>
      (stdout: string) =>
        stdout.slice(0, at) + text + stdout.slice(at),
  ),
  fc
    .tuple(fc.constantFrom("null", "-1", "[]", "{}", '"../../x"', "1e999", '"a\\u0000b"'), fc.nat(9))
    .map(([value, nth]) => (stdout: string) => {
      let count = 0;
      return stdout.replace(/:("[^"]*"|\d+)/g, (all) => (count++ === nth ? `:${value}` : all));
    }),
);

test("odd output gives a plan or errors with hints", async () => {
  const asked: string[] = [];
  expect(
    await plannedBy(async (line) => {
      asked.push(line);
      return sh(line);
    }),
  ).toEqual([]);
  const spoiled = fc.record({ nth: fc.nat(asked.length - 1), damage: damages, code: fc.constantFrom(0, 0, 0, 1, 2, 255) });
  const codes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(spoiled, async ({ nth, damage, code }) => {
      const errors = await plannedBy(async (line) => {
        const ended = await sh(line);
        return line === asked[nth] ? { ...ended, code: code || ended.code, stdout: damage(ended.stdout) } : ended;
      });
      for (const error of errors) expect(error.kind, error.message).not.toBe("internal");
      for (const { code: said, hint } of errors) expect(hint, said).toMatch(/./);
      for (const error of errors) codes.add(error.code);
    }),
    { numRuns: runs(150, 5_000) },
  );
  expect([...codes]).toEqual(expect.arrayContaining(["HOST_ANSWER", "HOST_COMMAND", "PROXMOX_ANSWER"]));
});
