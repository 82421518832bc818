import * as fs from "node:fs";
import { join } from "node:path";
import { realFiles } from "@talosmith/lib/world/files.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { GOOD } from "../config/testing/config-in-memory.ts";
import { backupRecords } from "../environment/backup/records.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { backupScene, entry } from "./testing/backup-scene.ts";
import { BUCKET_ENV, bucketInMemory } from "./testing/bucket-in-memory.ts";

const NOW = Date.UTC(2026, 10, 16, 9, 30, 1, 234);
const ASIDE = "lab-cluster.before-20261116T093001Z";

let scene: ReturnType<typeof backupScene>;
beforeEach(async () => {
  scene = backupScene({ now: NOW });
  scene.furnish();
  await scene.backUp();
});
afterEach(() => scene.end());

const gone = () => fs.rmSync(scene.folder, { recursive: true });
const beside = () => fs.readdirSync(scene.home).sort();
const BESIDE = ["kept", "key.txt", "lab-cluster", "passphrase"];
const isLocked = () => fs.existsSync(join(scene.folder, ".talosmith/lock"));
const refused = (code: string, message = "") => expect.objectContaining({ code, message: expect.stringContaining(message) });
/** Files of an environment that are newer than the backup. */
const change = (...names: string[]) => {
  for (const name of names) {
    scene.put(`lab-cluster/${name}`, "changed");
    fs.utimesSync(scene.at("lab-cluster", name), (NOW + 60_000) / 1000, (NOW + 60_000) / 1000);
  }
};

const ABOUT = { from: expect.stringMatching(/\.age$/), cluster: "homelab", at: "2026-11-16T09:30:01Z", files: 3 };
const NOTE = { note: expect.stringContaining("etcd data") };

describe("a restore tells", () => {
  test("what it would do before it asks, and what it did", async () => {
    gone();
    let before: object = {};
    const confirm = async () => {
      before = { titles: scene.titles(), facts: scene.facts() };
      return true;
    };
    expect(await scene.restore(scene.kept(), { confirm })).toBe(0);
    const would = `${scene.folder} would be restored; the backup is intact`;
    expect(before).toEqual({ titles: [would], facts: { ...ABOUT, ...NOTE } });
    expect(scene.titles()).toEqual([would, `${scene.folder} is restored`]);
    expect(scene.facts()).toEqual({ ...ABOUT, ...NOTE });
    expect(scene.notices()).toEqual([]);
  });

  test("what differs and where the old folder will be, and then where it is", async () => {
    change("config.yaml", "extra");
    let before: object = {};
    const confirm = async () => {
      before = scene.facts();
      return true;
    };
    expect(await scene.restore(scene.kept(), { replace: true, confirm })).toBe(0);
    const aside = scene.at(ASIDE);
    expect(before).toEqual({ ...ABOUT, ...NOTE, differing: "config.yaml, extra", aside: `the existing folder, as ${aside}` });
    expect(scene.facts()).toMatchObject({ aside: `the previous folder: ${aside}` });
    expect(fs.existsSync(aside)).toBe(true);
    expect(isLocked()).toBe(false);
  });

  test("nothing of differences when files are only missing", async () => {
    fs.rmSync(scene.at("lab-cluster/secrets.yaml"));
    await scene.restore(scene.kept(), { confirm: async () => false });
    expect(Object.keys(scene.facts())).toEqual(["from", "cluster", "at", "files", "aside", "note"]);
  });

  test("that a folder matches already, and leaves it unlocked", async () => {
    expect(await scene.restore(scene.kept())).toBe(0);
    expect([scene.titles(), scene.facts()]).toEqual([[`${scene.folder} already matches the backup: nothing to do`], ABOUT]);
    expect([isLocked(), beside()]).toEqual([false, BESIDE]);
  });

  test("that nothing was changed when the answer is no", async () => {
    change("extra");
    expect(await scene.restore(scene.kept(), { replace: true, confirm: async () => false })).toBe(1);
    expect([scene.notices(), isLocked(), beside()]).toEqual([["Nothing was changed."], false, BESIDE]);
  });

  test("that it does not know the cluster of a backup without a list of files", async () => {
    gone();
    await scene.restore(await scene.byHand("by-hand.age", [entry("config.yaml", GOOD)]));
    expect(scene.facts()).toMatchObject({ cluster: "unknown: the backup has no list of its files", at: "2023-11-14T22:13:20Z" });
  });
});

describe("a folder that was changed after the backup", () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `file-${n + 1}`);

  test.each([
    [8, "changed since: file-1, file-2, file-3, file-4, file-5, file-6, file-7, file-8"],
    [9, "changed since: file-1, file-2, file-3, file-4, file-5, file-6, file-7, file-8 and 1 more"],
  ])("in %i files is refused with their names, at most eight", async (count, detail) => {
    change(...names(count));
    await expect(scene.restore(scene.kept())).rejects.toMatchObject({
      code: "RESTORE_NEWER",
      message: `${scene.folder} was changed after the backup was made`,
      detail: `backup of 2026-11-16T09:30:01Z\n${detail}`,
    });
    expect([isLocked(), beside()]).toEqual([false, BESIDE]);
  });

  test("and has another secrets.yaml is refused with both", async () => {
    change("secrets.yaml");
    await expect(scene.restore(scene.kept())).rejects.toMatchObject({
      message: `${scene.folder} has another secrets.yaml than the backup`,
      detail: expect.stringContaining("changed since: secrets.yaml"),
    });
  });

  test("is not refused when the changes are older than the backup", async () => {
    scene.put("lab-cluster/config.yaml", "older");
    fs.utimesSync(scene.at("lab-cluster/config.yaml"), 1, 1);
    expect(await scene.restore(scene.kept())).toBe(0);
  });
});

describe("a restored folder", () => {
  test("records the backup that it came from", async () => {
    const [made] = backupRecords(realFiles, scene.folder);
    gone();
    await scene.restore(scene.kept());
    expect(backupRecords(realFiles, scene.folder)).toEqual([made]);
  });

  test("may be below folders that do not exist yet, which are created for all users to read", async () => {
    const from = scene.kept();
    const other = backupScene({ name: "x/y/lab", now: NOW });
    expect(await other.restore(from)).toBe(0);
    expect(fs.readdirSync(other.at("x/y"))).toEqual(["lab"]);
    expect([other.at("x"), other.at("x/y")].map((path) => fs.statSync(path).mode & 0o777)).toEqual([0o755, 0o755]);
    other.end();
  });

  test("causes no warning about an outside file that exists", async () => {
    scene.put("base.yaml", GOOD);
    scene.put("lab-cluster/config.yaml", "extends: ../base.yaml\n");
    await scene.backUp({ outside: true, to: scene.at("along.age") });
    gone();
    await scene.restore(scene.at("along.age"));
    expect(scene.notices()).toEqual([]);
  });

  test("with an invalid config is kept, and the problem is reported", async () => {
    scene.put("lab-cluster/config.yaml", "nodes: [");
    await scene.backUp({ to: scene.at("invalid.age") });
    gone();
    expect(await scene.restore(scene.at("invalid.age"))).toBe(0);
    expect(scene.notices()).toEqual([expect.stringContaining("the config cannot be used here yet")]);
  });
});

describe("a restore is refused", () => {
  test("in place of a file", async () => {
    gone();
    scene.put("lab-cluster", "a file");
    await expect(scene.restore(scene.kept(), { replace: true })).rejects.toEqual(refused("NO_ENVIRONMENT", "is a file"));
    expect(fs.readFileSync(scene.folder, "utf8")).toBe("a file");
  });

  test("while another command works on the folder", async () => {
    const other = lockEnvironment(
      testWorld({ files: realFiles, self: { machineId: "other", bootId: "other" } }),
      scene.folder,
      "up",
    );
    await expect(scene.restore(scene.kept(), { replace: true })).rejects.toEqual(refused("LOCKED"));
    other.release();
  });

  test("when another command took the lock over while the question was open", async () => {
    change("extra");
    const confirm = async () => {
      fs.rmSync(join(scene.folder, ".talosmith/lock"), { recursive: true });
      return true;
    };
    await expect(scene.restore(scene.kept(), { replace: true, confirm })).rejects.toEqual(refused("LOCK_LOST"));
    expect([beside(), fs.existsSync(scene.at("lab-cluster/extra"))]).toEqual([BESIDE, true]);
  });
});

describe("an interrupted restore", () => {
  test("unpacks no further file", async () => {
    gone();
    const created: string[] = [];
    const create: Files["create"] = (path, data, mode) => {
      realFiles.create(path, data, mode);
      created.push(path);
      scene.interrupt();
    };
    await expect(scene.restore(scene.kept(), {}, { ...realFiles, create })).rejects.toThrow("interrupted");
    expect(created).toEqual([expect.stringMatching(/\/\.lab-cluster\.restoring-[0-9a-f]{8}\//)]);
    expect(beside()).toEqual(["kept", "key.txt", "passphrase"]);
  });

  test("reads no further part of the backup", async () => {
    gone();
    const bytes = fs.readFileSync(scene.kept());
    let read = 0;
    const stream = async function* () {
      for (let at = 0; at < bytes.length; at += 50, read++) {
        if (at >= 100) scene.interrupt();
        yield bytes.subarray(at, at + 50);
      }
    };
    await expect(scene.restore(scene.kept(), {}, { ...realFiles, stream })).rejects.toThrow("interrupted");
    expect(read).toBeLessThan(10);
  });

  test("is noticed while files are unpacked that are in memory already", async () => {
    gone();
    const many = Array.from({ length: 300 }, (_, n) => entry(`file-${n}`, "x"));
    const from = await scene.byHand("many.age", [entry("config.yaml", GOOD), ...many]);
    let created = 0;
    const create: Files["create"] = (path, data, mode) => {
      realFiles.create(path, data, mode);
      // A signal is handled when the event loop turns.
      if (++created === 1) setImmediate(() => scene.interrupt());
    };
    await expect(scene.restore(from, {}, { ...realFiles, create })).rejects.toThrow("interrupted");
    expect(created).toBeLessThan(10);
  });
});

test("folders of restores that were killed more than an hour ago are removed by the next one", async () => {
  const old = (name: string, minutes: number) => {
    scene.put(`${name}/secrets.yaml`, "x");
    fs.utimesSync(scene.at(name), (NOW - minutes * 60_000) / 1000, (NOW - minutes * 60_000) / 1000);
  };
  old(".lab-cluster.restoring-0a1b2c3d", 61);
  old(".lab-cluster.restoring-0a1b2c3e", 59);
  old(".lab-cluster.restoring-mine", 61);
  old(".lab+cluster.restoring-0a1b2c3d", 61);
  await scene.restore(scene.kept());
  expect(beside()).toEqual(
    [".lab+cluster.restoring-0a1b2c3d", ".lab-cluster.restoring-0a1b2c3e", ".lab-cluster.restoring-mine", ...BESIDE].sort(),
  );
});

test("a restore that fails gives its connection to a bucket back", async () => {
  const bucket = bucketInMemory();
  const other = backupScene({ inside: bucket.inside });
  bucket.objects.set("kept/a.age", { body: Buffer.from("no backup") });
  await expect(other.restore("s3://kept/a.age", {}, realFiles, BUCKET_ENV)).rejects.toEqual(refused("NOT_A_BACKUP"));
  await expect.poll(bucket.isClosed).toBe(true);
  other.end();
});
