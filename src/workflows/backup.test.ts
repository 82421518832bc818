import * as fs from "node:fs";
import { join } from "node:path";
import { realFiles } from "@talosmith/lib/world/files.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { GOOD } from "../config/testing/config-in-memory.ts";
import { backupState } from "../environment/backup/records.ts";
import { backupScene, entry, RECIPIENT, SECRET_KEY, type Tree } from "./testing/backup-scene.ts";

let scene: ReturnType<typeof backupScene>;
beforeEach(() => {
  scene = backupScene();
  scene.furnish();
});
afterEach(() => scene.end());

const refused = (code: string, more = {}) => expect.objectContaining({ code, ...more });
/** All files but the record of backups, which only grows, and locks that were given back. */
const content = () =>
  Object.fromEntries(Object.entries(scene.tree()).filter(([path]) => !/^\.talosmith\/(backups\.json$|lock\.was-)/.test(path)));
/** As a restored folder has it: readable by its owner alone. */
const restored = (files: Tree): Tree =>
  Object.fromEntries(Object.entries(files).map(([path, { text }]) => [path, { text, mode: 0o600 }]));
const gone = () => fs.rmSync(scene.folder, { recursive: true });
/** Nothing but what was there before is beside the folder. */
const beside = () => fs.readdirSync(scene.home).sort();

test("a folder that was lost comes back: every file and name, for its owner alone; and nothing of this computer's own", async () => {
  const name = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((text) => !/[/\0\uFFFD]|^\.|\.new$/.test(text) && Buffer.byteLength(text) < 200);
  const file = fc.record({
    path: fc.array(name, { minLength: 1, maxLength: 3 }),
    bytes: fc.uint8Array({ maxLength: 3000 }),
    rights: fc.nat({ max: 0o377 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 5 }), async (files) => {
      gone();
      scene.furnish();
      for (const { path, bytes, rights } of files)
        try {
          scene.put(join("lab-cluster", "d", ...path), Buffer.from(bytes), 0o400 | rights);
        } catch {
          // Two of them cannot both be: a file and a folder.
        }
      scene.put("lab-cluster/.lab/state", "of a lab");
      const before = content();
      fs.rmSync(scene.at("kept"), { recursive: true });
      fs.mkdirSync(scene.at("kept"));
      await scene.backUp();
      gone();
      await scene.restore(scene.kept());
      delete before[".lab/state"];
      expect(content()).toEqual(restored(before));
      for (const name of ["", "patches", ".talosmith"])
        expect(fs.statSync(join(scene.folder, name)).mode & 0o777, name).toBe(0o700);
    }),
    { numRuns: 6 },
  );
});

test("a backup has a list of its content, and its passphrase alone opens it", async () => {
  await scene.backUp({ recipients: [], passphraseFile: scene.at("passphrase") });
  expect(scene.facts()).toMatchObject({ files: 3, holdsNot: expect.stringContaining("etcd data"), where: scene.kept() });
  expect(scene.kept()).toMatch(/env-homelab-\d{8}T\d{6}Z\.tar\.gz\.age$/);
  expect(fs.statSync(scene.kept()).mode & 0o777).toBe(0o600);
  const before = content();
  gone();
  const from = scene.kept();
  await expect(scene.restore(from)).rejects.toEqual(refused("NO_PASSPHRASE"));
  scene.put("wrong", "another passphrase");
  await expect(scene.restore(from, { passphraseFile: scene.at("wrong") })).rejects.toEqual(refused("AGE_WRONG_KEY"));
  expect(fs.existsSync(scene.folder)).toBe(false);
  expect(await scene.restore(from, { passphraseFile: scene.at("passphrase") })).toBe(0);
  expect(content()).toEqual(restored(before));
});

test("a damaged backup is refused wherever it is damaged, and nothing is changed", async () => {
  await scene.backUp();
  const whole = fs.readFileSync(scene.kept());
  scene.put("lab-cluster/config.yaml", `${GOOD}# older\n`);
  fs.utimesSync(scene.at("lab-cluster/config.yaml"), 1, 1);
  const before = scene.tree();
  const around = beside();
  const places = Array.from({ length: 12 }, (_, n) => Math.floor((n / 12) * whole.length));
  for (const at of [...places, whole.length - 1]) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] ?? 0) ^ 0x10;
    for (const bytes of [flipped, whole.subarray(0, at)]) {
      fs.writeFileSync(scene.kept(), bytes);
      await expect(scene.restore(scene.kept()), `${at}`).rejects.toEqual(
        refused(expect.stringMatching(/^(AGE_|NOT_A_BACKUP)/) as unknown as string),
      );
    }
  }
  expect([scene.tree(), beside()]).toEqual([before, around]);
});

describe("an archive whose list does not fit what is in it is refused", () => {
  const sha256 = (letter: string) => letter.repeat(64);
  const list = (files: object) =>
    JSON.stringify({ format: 1, madeBy: "x", cluster: "c", at: "2026-11-16T00:00:00Z", holdsNot: [], outside: {}, files });
  const config = { sha256: "b9e68e1bea3e5b19ca6b2f98b73a54b73daafaa250484902e09982e07a12e733", size: 5, mode: 0o600 };
  test.each([
    ["another content", { "config.yaml": { ...config, sha256: sha256("0") } }, "differs from the backup's list of files"],
    ["other rights", { "config.yaml": { ...config, mode: 0o644 } }, "has a different mode"],
    ["a file missing", { "config.yaml": config, "secrets.yaml": config }, "secrets.yaml is in the backup's list"],
    ["a file too many", {}, "config.yaml is not in the backup's list of files"],
    ["no list at all", { "config.yaml": 1 }, "Unable to read the backup's list of files"],
  ])("%s", async (_, files, why) => {
    const from = await scene.byHand("wrong.age", [
      entry("c/.talosmith/backup.json", list(files)),
      entry("c/config.yaml", "text\n"),
    ]);
    gone();
    await expect(scene.restore(from)).rejects.toEqual(refused("BACKUP_DAMAGED", { message: expect.stringContaining(why) }));
    expect(fs.existsSync(scene.folder)).toBe(false);
  });
});

test("a tar of the folder that was encrypted with age by hand is restored as well", async () => {
  const from = await scene.byHand("by-hand.age", [
    { name: ".", mode: 0o755, modifiedMs: 0 },
    entry("./config.yaml", GOOD, 0o644),
    entry("./secrets.yaml", "cluster: {}\n"),
    entry("./.talosmith/lock", "another's"),
  ]);
  gone();
  expect(await scene.restore(from)).toBe(0);
  expect(Object.keys(content())).toEqual(["config.yaml", "secrets.yaml"]);
  const nothing = await scene.byHand("other.age", [entry("README", "hello")]);
  await expect(scene.restore(nothing, { replace: true })).rejects.toEqual(refused("NO_BACKUP_IN_IT"));
});

describe("an existing folder", () => {
  test("that matches the backup is left unchanged", async () => {
    await scene.backUp();
    const before = beside();
    const confirm = () => Promise.reject(new Error("no question was expected"));
    expect(await scene.restore(scene.kept(), { confirm })).toBe(0);
    expect(beside()).toEqual(before);
  });

  test("that is newer is replaced only with --replace, and kept", async () => {
    await scene.backUp();
    const old = content();
    scene.put("lab-cluster/config.yaml", `${GOOD}# newer\n`);
    fs.utimesSync(scene.at("lab-cluster/config.yaml"), new Date(), new Date(Date.now() + 60_000));
    const newer = content();
    await expect(scene.restore(scene.kept())).rejects.toEqual(
      refused("RESTORE_NEWER", { detail: expect.stringContaining("config.yaml") }),
    );
    expect(content()).toEqual(newer);
    expect(await scene.restore(scene.kept(), { replace: true })).toBe(0);
    expect(content()).toEqual(restored(old));
    const aside = beside().find((name) => name.startsWith("lab-cluster.before-")) ?? "";
    expect(fs.readFileSync(scene.at(aside, "config.yaml"), "utf8")).toContain("# newer");
    expect(fs.existsSync(scene.at(aside, ".talosmith/lock"))).toBe(false);
  });

  test("with other secrets is replaced only with --replace, however old it is", async () => {
    await scene.backUp();
    scene.put("lab-cluster/secrets.yaml", "cluster:\n  id: other\n");
    for (const path of Object.keys(content())) fs.utimesSync(join(scene.folder, path), 1, 1);
    await expect(scene.restore(scene.kept())).rejects.toEqual(
      refused("RESTORE_NEWER", { message: expect.stringContaining("another secrets.yaml") }),
    );
  });

  test("and has lost some files gets them back after confirmation", async () => {
    await scene.backUp();
    const before = content();
    fs.rmSync(scene.at("lab-cluster/secrets.yaml"));
    expect(await scene.restore(scene.kept(), { confirm: async () => false })).toBe(1);
    expect(fs.existsSync(scene.at("lab-cluster/secrets.yaml"))).toBe(false);
    expect(await scene.restore(scene.kept())).toBe(0);
    expect(content()).toEqual(restored(before));
  });

  test("stays, and nothing is left beside it, when restore is stopped at any file or after the question", async () => {
    await scene.backUp();
    scene.put("lab-cluster/extra", "x");
    const before = content();
    const around = beside();
    let created = 0;
    const stopping = (at: number): Files => ({
      ...realFiles,
      create(path, data, mode) {
        realFiles.create(path, data, mode);
        if (path.includes(".restoring-") && ++created === at) scene.interrupt();
      },
    });
    const asked = async () => {
      scene.interrupt();
      return true;
    };
    await expect(scene.restore(scene.kept(), { replace: true, confirm: asked })).rejects.toThrow("interrupted");
    for (let at = 1; at <= 5; at++) {
      created = 0;
      await expect(scene.restore(scene.kept(), { replace: true }, stopping(at)), `${at}`).rejects.toThrow("interrupted");
      expect(created).toBeGreaterThanOrEqual(at);
    }
    expect([content(), beside()]).toEqual([before, around]);
  });

  test("stays when the new one cannot be put in its place", async () => {
    await scene.backUp();
    scene.put("lab-cluster/extra", "x");
    const before = content();
    const files: Files = {
      ...realFiles,
      rename(from, to) {
        if (from.includes(".restoring-")) throw new Error("no");
        realFiles.rename(from, to);
      },
    };
    await expect(scene.restore(scene.kept(), { replace: true }, files)).rejects.toThrow("no");
    expect(content()).toEqual(before);
    expect(beside().filter((name) => name.includes("lab-cluster"))).toEqual(["lab-cluster"]);
  });
});

describe("refused, and nothing is written", () => {
  afterEach(() => expect(fs.readdirSync(scene.at("kept"))).toEqual([]));

  test("for only the key inside the folder", async () => {
    scene.put("lab-cluster/age.agekey", `# public key: ${RECIPIENT}\n${SECRET_KEY}\n`);
    await expect(scene.backUp()).rejects.toEqual(refused("BACKUP_OWN_KEY"));
  });

  test.each([
    ["a short passphrase", () => ({ recipients: [], passphraseFile: scene.at("short") }), "PASSPHRASE"],
    ["a passphrase beside recipients", () => ({ passphraseFile: scene.at("passphrase") }), "USAGE"],
    ["no recipient", () => ({ recipients: [] }), "NO_RECIPIENT"],
    ["a recipient with a wrong letter", () => ({ recipients: [`${RECIPIENT}q`] }), "RECIPIENT"],
    ["a place inside the folder", () => ({ to: `${scene.folder}/` }), "BACKUP_INSIDE"],
    ["a place that is not there", () => ({ to: scene.at("nowhere/file") }), "NO_FOLDER"],
    ["a file that is there", () => ({ to: scene.at("key.txt") }), "BACKUP_EXISTS"],
    ["a bucket without access keys", () => ({ to: "s3://kept/x" }), "S3_NO_CREDENTIALS"],
  ])("%s", async (_, wishes, code) => {
    scene.put("short", "short");
    const before = beside();
    await expect(scene.backUp(wishes())).rejects.toEqual(refused(code, { hint: expect.any(String) }));
    expect([beside(), fs.readFileSync(scene.at("key.txt"), "utf8")]).toEqual([before, `${SECRET_KEY}\n`]);
  });
});

test("a key can be made with the backup: outside the folder, never over another", async () => {
  await expect(scene.backUp({ recipients: [], newKey: join(scene.folder, "key") })).rejects.toEqual(refused("BACKUP_OWN_KEY"));
  await expect(scene.backUp({ recipients: [], newKey: scene.at("key.txt") })).rejects.toEqual(refused("KEY_EXISTS"));
  await scene.backUp({ recipients: [], newKey: scene.at("new.txt") });
  expect(fs.statSync(scene.at("new.txt")).mode & 0o777).toBe(0o600);
  gone();
  expect(await scene.restore(scene.kept(), { identityFiles: [scene.at("new.txt")] })).toBe(0);
});

test("a backup for several recipients is opened by the key of each", async () => {
  await scene.backUp({ recipients: [RECIPIENT], newKey: scene.at("new.txt") });
  for (const key of ["new.txt", "key.txt"]) {
    gone();
    expect(await scene.restore(scene.kept(), { identityFiles: [scene.at(key)] })).toBe(0);
  }
});

test("without a recipient flag the config's recipients can open it, and an invalid config does not prevent a backup", async () => {
  scene.put("lab-cluster/config.yaml", `${GOOD}\nbackup: { recipients: [${RECIPIENT}] }\n`);
  await scene.backUp({ recipients: [] });
  gone();
  expect(await scene.restore(scene.kept())).toBe(0);
  scene.put("lab-cluster/config.yaml", "nodes: [");
  await expect(scene.backUp({ recipients: [] })).rejects.toEqual(refused("NO_RECIPIENT"));
  expect(await scene.backUp()).toBe(0);
});

test("a passphrase can come from the environment", async () => {
  await scene.backUp({ recipients: [] }, { TALOSMITH_PASSPHRASE: "correct horse battery" });
  gone();
  expect(await scene.restore(scene.kept(), { passphraseFile: scene.at("passphrase") })).toBe(0);
});

test("files outside the folder are listed or included, and reported where they are missing", async () => {
  scene.put("base.yaml", GOOD);
  scene.put("lab-cluster/config.yaml", "extends: ../base.yaml\n");
  await scene.backUp();
  expect(scene.notices()).toEqual([expect.stringContaining(scene.at("base.yaml"))]);
  expect(scene.facts().holdsNot).toContain(scene.at("base.yaml"));
  await scene.backUp({ outside: true, to: scene.at("along.age") });
  gone();
  fs.rmSync(scene.at("base.yaml"));
  await scene.restore(scene.at("along.age"));
  expect(fs.readFileSync(join(scene.folder, ".talosmith/outside/1-base.yaml"), "utf8")).toBe(GOOD);
  expect(scene.notices()).toEqual([
    expect.stringContaining("../base.yaml was outside"),
    expect.stringContaining("cannot be used here yet"),
  ]);
});

test("a config that cannot be used is backed up nevertheless", async () => {
  scene.put("lab-cluster/config.yaml", "nonsense: [\n");
  expect(await scene.backUp()).toBe(0);
  expect(scene.notices()).toEqual([expect.stringContaining("cannot be used")]);
});

test("a backup contains the last twenty runs", async () => {
  for (let n = 10; n < 40; n++) scene.put(`lab-cluster/.talosmith/runs/2026-11-16T10-00-${n}/events.jsonl`, "{}\n");
  await scene.backUp();
  expect(scene.facts().holdsNot).toContain("the 10 oldest runs");
  gone();
  await scene.restore(scene.kept());
  const runs = fs.readdirSync(join(scene.folder, ".talosmith/runs"));
  expect([runs.length, runs[0]]).toEqual([20, "2026-11-16T10-00-20"]);
});

test("a change of an irreplaceable file makes the backup outdated", async () => {
  const state = () => backupState(realFiles, scene.folder);
  expect(state().is).toBe("missing");
  await scene.backUp();
  expect(state().is).toBe("current");
  scene.put("lab-cluster/kubeconfig", "made anew by up");
  expect(state().is).toBe("current");
  scene.put("lab-cluster/age.agekey", "new");
  expect(state()).toMatchObject({ is: "old", changed: ["age.agekey"] });
  fs.rmSync(scene.at("lab-cluster/age.agekey"));
  gone();
  await scene.restore(scene.kept());
  expect(state().is).toBe("current");
  fs.rmSync(scene.at("lab-cluster/secrets.yaml"));
  expect(state().is).toBe("needless");
});
