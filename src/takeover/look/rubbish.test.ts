import { TalosmithError } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { describeDisk } from "../judge/describe.ts";
import { judge } from "../judge/judge.ts";
import type { Survey } from "../survey.ts";
import { surveyServer } from "./survey-server.ts";
import { BUSYBOX } from "./testing/busybox.ts";
import { CONTABO } from "./testing/contabo.ts";
import { HETZNER_DEDICATED } from "./testing/hetzner-dedicated.ts";
import { OVH } from "./testing/ovh.ts";
import { recordedShell } from "./testing/recorded-shell.ts";

const recordings = fc.constantFrom(BUSYBOX, CONTABO, HETZNER_DEDICATED, OVH);
const wish = {
  name: "n",
  address: "203.0.113.11",
  secureboot: false,
  eraseMembers: false,
  onlyCard: true,
  where: () => undefined,
};

/** Possible damage to a line: lost, doubled, cut, mixed with other output, or replaced. */
const damages = fc.oneof(
  fc.constant((_: string) => ""),
  fc.constant((line: string) => `${line}\n${line}`),
  fc.nat(60).map((at) => (line: string) => line.slice(0, at)),
  fc.nat(60).map((at) => (line: string) => line.slice(at)),
  fc.string({ unit: "binary", maxLength: 30 }).map((text) => (line: string) => line.slice(0, 10) + text + line.slice(10)),
  fc
    .constantFrom(
      "[]",
      "[null]",
      '{"blockdevices":[[{"children":{}}]]}',
      "[{}]",
      "/sys/block/a/holders/a",
      "/sys/block/sda/size:-1",
    )
    .map((text) => () => text),
);

function damaged(stdout: string, seed: readonly { at: number; damage: (line: string) => string }[]): string {
  const lines = stdout.split("\n");
  for (const { at, damage } of seed) {
    const place = at % lines.length;
    lines[place] = damage(lines[place] ?? "");
  }
  return lines.join("\n");
}

async function lookedAt(shell: ReturnType<typeof recordedShell>): Promise<Survey | undefined> {
  try {
    return await surveyServer(shell, AbortSignal.timeout(10_000));
  } catch (error) {
    expect(error).toBeInstanceOf(TalosmithError);
    expect((error as TalosmithError).code).toBe("SURVEY_UNREADABLE");
    return undefined;
  }
}

test("whatever a server answers, it is a survey that can be judged, or one clear error", async () => {
  const seeds = fc.array(fc.record({ at: fc.nat(), damage: damages }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(recordings, seeds, async (recording, seed) => {
      const survey = await lookedAt(recordedShell(recording, (_, stdout) => damaged(stdout, seed)));
      if (survey === undefined) return;
      expect(["fit", "unfit"]).toContain(judge(survey, wish).is);
      for (const disk of survey.disks) expect(describeDisk(disk)).toContain(disk.path);
    }),
    { numRuns: 300 },
  );
});

test("devices that are built on each other in a cycle end without a hang", async () => {
  const users = "/sys/block/sda/holders/sdb\n/sys/block/sdb/holders/sda\n/sys/block/sda/slaves/sda";
  const survey = await lookedAt(recordedShell({ ...OVH, disks: { ...OVH.disks, users } }));
  expect(survey?.disks).toHaveLength(2);
});
