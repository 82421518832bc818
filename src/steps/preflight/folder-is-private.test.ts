import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realFiles } from "@talosmith/lib/world/files.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import type { Read } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import { folderIsPrivate } from "./folder-is-private.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), "talosmith-private-"));
  fs.mkdirSync(join(folder, ".talosmith/copies"), { recursive: true, mode: 0o700 });
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

function put(name: string, mode = 0o600): void {
  fs.writeFileSync(join(folder, name), "secret");
  fs.chmodSync(join(folder, name), mode);
}

async function findings(more: Partial<Environment> = {}) {
  const env = { folder, shown: "environments/homelab", ...more } as Environment;
  return folderIsPrivate(env).run({ world: testWorld({ files: realFiles }) } as unknown as Read);
}

const hints = async (more: Partial<Environment> = {}) => (await findings(more)).map(({ hint }) => hint);

test("a folder whose secrets are readable by their owner alone is fine, whatever else others may read", async () => {
  for (const name of ["secrets.yaml", "patch-cp-1.yaml", "secrets.yaml~"]) put(name);
  for (const name of ["config.yaml", "notes.bak", "patches.txt"]) put(name, 0o644);
  expect(await findings()).toMatchObject([{ level: "ok", code: "FOLDER" }]);
});

test.each([
  ...["secrets.yaml", "age.agekey", "talosconfig", "kubeconfig", "controlplane.yaml", "worker.yaml"],
  ...["patch-cp-1.yaml", "wg-laptop.conf", "proxmox-token"],
  ...["secrets.yaml~", "secrets.yaml.bak", "secrets.yaml.orig", "kubeconfig.old", ".secrets.yaml.swp", "#talosconfig#"],
  ...["talosconfig.bak2", "secrets.yaml-2026-11-18", "proxmox-token.save", ".secrets.yaml.00000000000000aa.new"],
  ".talosmith/copies/secrets.yaml.2026-11-15T20-14-03",
])("%s that others may read is named, with what closes it", async (name) => {
  put(name, 0o640);
  expect(await findings()).toMatchObject([{ level: "warn", code: "FOLDER_OPEN", hint: expect.stringMatching(/^chmod 600 /) }]);
  expect((await hints())[0]).toContain(`environments/homelab/${name}`);
});

test("a folder that is open to others is named", async () => {
  for (const [name, mode] of [[".", 0o755] as const, [".talosmith", 0o770] as const]) fs.chmodSync(join(folder, name), mode);
  expect(await hints()).toEqual(["chmod 700 environments/homelab", "chmod 700 environments/homelab/.talosmith"]);
});

test("the token's file is checked at its place in the config", async () => {
  const outside = `${folder}.token`;
  fs.writeFileSync(outside, "secret", { mode: 0o644 });
  fs.chmodSync(outside, 0o644);
  put("login", 0o604);
  try {
    expect(await hints({ tokenReference: `\${file:${outside}}` })).toEqual([`chmod 600 ${outside}`]);
    expect(await hints({ tokenReference: `\${file:login}` })).toEqual(["chmod 600 environments/homelab/login"]);
  } finally {
    fs.rmSync(outside);
  }
});

test("a secret that is a link is named with where it leads, and so are the rights of the file there", async () => {
  put("real", 0o644);
  fs.symlinkSync("real", join(folder, "kubeconfig"));
  fs.symlinkSync("/nowhere", join(folder, "secrets.yaml"));
  expect(await findings()).toMatchObject([
    { code: "FOLDER_OPEN", message: expect.stringContaining("kubeconfig") },
    { code: "FOLDER_LINK", message: expect.stringContaining("kubeconfig is a link to real") },
    { code: "FOLDER_LINK", message: expect.stringContaining("secrets.yaml is a link to /nowhere") },
  ]);
});
