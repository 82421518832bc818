import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { SshTarget } from "@talosmith/lib/ssh/ssh.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { surveyServer } from "../../../src/takeover/look/survey-server.ts";
import { openShell } from "../../../src/takeover/open-shell.ts";

/** What we say about this machine's disks is what lsblk says. */
export async function expectSurvey(target: SshTarget): Promise<string> {
  const lsblk = spawnSync("lsblk", ["-J", "-b", "-d", "-o", "NAME,SIZE,TYPE,RO"], { encoding: "utf8" });
  if (lsblk.status !== 0) return "no lsblk to compare a survey with";
  const shell = await openShell(realWorld(), target);
  try {
    const { disks, from } = await surveyServer(shell, AbortSignal.timeout(600_000));
    assert.equal(from, "127.0.0.1");
    const devices: { name: string; size: number; type: string; ro: boolean }[] = JSON.parse(lsblk.stdout).blockdevices;
    for (const { name, bytes, readonly } of disks) {
      const device = devices.find((one) => one.name === name);
      assert.deepEqual({ name, bytes, readonly }, { name, bytes: Number(device?.size), readonly: Boolean(device?.ro) });
    }
    return `a survey of ${disks.length} disks as lsblk has them`;
  } finally {
    shell.close();
  }
}
