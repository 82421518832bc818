import { expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import type { Read } from "../../engine/step.ts";
import { addBackupRecord } from "../../environment/backup/records.ts";
import type { Environment } from "../../environment/environment.ts";
import { backedUp } from "./backed-up.ts";

// sha256 of "1", from sha256sum.
const ONE = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";

test("doctor warns when there is no backup, and when the last one is older than what cannot be made again", async () => {
  const files = new VolatileFiles();
  const write = (name: string, text: string) => files.write(`/env/${name}`, Buffer.from(text), 0o600);
  files.makeFolder("/env", 0o700);
  write("config.yaml", "1");
  const found = () =>
    backedUp({ folder: "/env", shown: "env" } as Environment).run({ world: testWorld({ files }) } as unknown as Read);
  expect(await found()).toMatchObject([{ level: "ok" }]);
  write("secrets.yaml", "1");
  expect(await found()).toMatchObject([
    { level: "warn", code: "NO_BACKUP", hint: expect.stringContaining("talosmith backup env") },
  ]);
  const record = { at: "2026-11-16T15:00:00Z", where: "/kept", sha256: "", size: 1 };
  addBackupRecord(files, "/env", { ...record, content: { "config.yaml": ONE, "secrets.yaml": ONE } });
  expect(await found()).toMatchObject([{ level: "ok", message: "backed up at 2026-11-16T15:00:00Z" }]);
  write("kubeconfig", "made anew by up");
  expect(await found()).toMatchObject([{ level: "ok" }]);
  write("config.yaml", "2");
  write("age.agekey", "new");
  expect(await found()).toMatchObject([
    { level: "warn", code: "BACKUP_OLD", message: expect.stringContaining("age.agekey, config.yaml") },
  ]);
});

test("a record that cannot be read is as good as none", async () => {
  const files = new VolatileFiles();
  files.makeFolder("/env/.talosmith", 0o700);
  for (const name of ["secrets.yaml", ".talosmith/backups.json"]) files.write(`/env/${name}`, Buffer.from("{"), 0o600);
  const check = backedUp({ folder: "/env", shown: "env" } as Environment);
  expect(await check.run({ world: testWorld({ files }) } as unknown as Read)).toMatchObject([{ code: "NO_BACKUP" }]);
});
