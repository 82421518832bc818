import * as fs from "node:fs";
import { join, relative } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realFiles } from "@talosmith/lib/world/files.ts";
import { afterEach, describe, expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { GOOD } from "../config/testing/config-in-memory.ts";
import { backupRecords } from "../environment/backup/records.ts";
import { sha256 } from "../environment/backup/testing/folder-in-memory.ts";
import { createSecretsBundle } from "../talos/secrets/create.ts";
import { environmentId } from "../talos/secrets/environment-id.ts";
import { printSecrets } from "../talos/secrets/print.ts";
import { backupScene, RECIPIENT, type SceneWishes } from "./testing/backup-scene.ts";
import { BUCKET_ENV, bucketInMemory } from "./testing/bucket-in-memory.ts";

const NOW = Date.UTC(2026, 10, 16, 9, 30, 1, 234);
const FILE = "env-homelab-20261116T093001Z.tar.gz.age";

let scene: ReturnType<typeof backupScene>;
afterEach(() => scene.end());

function furnished(wishes: SceneWishes = {}) {
  scene = backupScene({ now: NOW, ...wishes });
  scene.furnish();
  return scene;
}

describe("a backup tells", () => {
  test("where it is, for whom, and how to open it with a key", async () => {
    furnished();
    expect(await scene.backUp()).toBe(0);
    expect(scene.titles()).toEqual([`${scene.folder} is backed up`]);
    expect(scene.facts()).toEqual({
      where: scene.at("kept", FILE),
      files: 3,
      size: `${Math.ceil(fs.statSync(scene.kept()).size / 1024)} KiB`,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      checked: expect.stringContaining("only a restore shows that your secret key opens it"),
      recipients: RECIPIENT,
      holdsNot: expect.stringContaining("etcd data"),
      open: `age -d -i KEY ${FILE} | tar -xz`,
    });
  });

  test("how to open it with a new key, and to keep that elsewhere", async () => {
    furnished();
    await scene.backUp({ recipients: [], newKey: scene.at("new.txt") });
    expect(scene.facts()).toMatchObject({
      key: `${scene.at("new.txt")}: keep it elsewhere; only this key opens the backup`,
      recipients: expect.stringMatching(/^age1/),
      open: `age -d -i ${scene.at("new.txt")} ${FILE} | tar -xz`,
    });
  });

  test("how to open it with a passphrase, and that it was tried", async () => {
    furnished();
    await scene.backUp({ recipients: [], passphraseFile: scene.at("passphrase") });
    const { checked, open, ...others } = scene.facts();
    expect([checked, open]).toEqual([expect.stringContaining("decrypted with the passphrase"), `age -d ${FILE} | tar -xz`]);
    expect(Object.keys(others)).toEqual(["where", "files", "size", "sha256", "holdsNot"]);
  });
});

describe("a backup is recorded in its folder", () => {
  const records = () => backupRecords(realFiles, scene.folder);

  test("with its time, hash, size and what cannot be made again", async () => {
    furnished();
    await scene.backUp();
    const bytes = fs.readFileSync(scene.kept());
    expect(records()).toEqual([
      {
        at: "2026-11-16T09:30:01Z",
        where: scene.at("kept", FILE),
        size: bytes.length,
        sha256: scene.facts().sha256,
        content: {
          "config.yaml": sha256(GOOD),
          "secrets.yaml": sha256("cluster:\n  id: one\n"),
          "patches/all.yaml": sha256("machine: {}\n"),
        },
      },
    ]);
  });

  test("with a path that any folder can use", async () => {
    furnished();
    await scene.backUp({ to: `${relative(process.cwd(), scene.at("kept"))}/` });
    expect(records()).toMatchObject([{ where: scene.at("kept", FILE) }]);
  });

  test("with its address in a bucket, from which it can be restored", async () => {
    const bucket = bucketInMemory();
    furnished({ inside: bucket.inside });
    await scene.backUp({ to: "s3://kept/here" }, BUCKET_ENV);
    expect([...bucket.objects.keys()]).toEqual([`kept/here/${FILE}`]);
    expect(records()).toMatchObject([{ where: `s3://kept/here/${FILE}` }]);
    expect(fs.readdirSync(join(scene.folder, ".talosmith")).filter((name) => name.startsWith("backup-"))).toEqual([]);
    fs.rmSync(scene.folder, { recursive: true });
    expect(await scene.restore(`S3://kept/here/${FILE}`, {}, realFiles, BUCKET_ENV)).toBe(0);
    expect(records()[0]?.where).toBe(`S3://kept/here/${FILE}`);
    await expect.poll(bucket.isClosed).toBe(true);
  });
});

describe("the key of a flag, a file or the environment takes the place of the config's:", () => {
  const SEVERAL = `${GOOD}backup: { recipients: [age1cy0su9fwf3gf9mw868g5yut09p6nytfmmnktexz2ya5uqg9vl9sss4euqm] }\n`;
  test.each<[string, () => object, Record<string, string>, string | undefined]>([
    ["--recipient", () => ({}), {}, RECIPIENT],
    ["--recipients-file", () => ({ recipients: [], recipientsFile: scene.at("team") }), {}, RECIPIENT],
    ["--passphrase-file", () => ({ recipients: [], passphraseFile: scene.at("passphrase") }), {}, undefined],
    ["TALOSMITH_PASSPHRASE", () => ({ recipients: [] }), { TALOSMITH_PASSPHRASE: "correct horse" }, undefined],
  ])("%s", async (_, wishes, env, recipients) => {
    furnished();
    scene.put("lab-cluster/config.yaml", SEVERAL);
    scene.put("team", `${RECIPIENT}\n`);
    await scene.backUp(wishes(), env);
    expect(scene.facts().recipients).toBe(recipients);
  });

  test("--new-key", async () => {
    furnished();
    scene.put("lab-cluster/config.yaml", SEVERAL);
    await scene.backUp({ recipients: [], newKey: scene.at("new.txt") });
    expect(fs.readFileSync(scene.at("new.txt"), "utf8")).toContain(`# public key: ${scene.facts().recipients}\n`);
  });

  test("and without any of them the config's recipients are used, even without the login of its platform", async () => {
    furnished({ inside: (world) => ({ ...world, env: (name) => (name === "PROXMOX_TOKEN" ? undefined : world.env(name)) }) });
    scene.put("lab-cluster/config.yaml", SEVERAL);
    await scene.backUp({ recipients: [] });
    expect(scene.facts().recipients).toMatch(/^age1cy0/);
  });
});

describe("a backup is named after", () => {
  test.each([
    ["my cluster!", "my-cluster-"],
    ["--lab--", "lab--"],
    ["ä", "environment"],
  ])("its folder %s while the config is invalid", async (name, expected) => {
    furnished({ name });
    scene.put(`${name}/config.yaml`, "nodes: [");
    await scene.backUp();
    expect(scene.facts().where).toBe(scene.at("kept", `env-${expected}-20261116T093001Z.tar.gz.age`));
  });

  test("its environment, where a restore shows it", async () => {
    furnished();
    const redactor = new Redactor();
    const bundle = await createSecretsBundle(testWorld(), { contract: "v1.13", redactor });
    scene.put("lab-cluster/secrets.yaml", printSecrets(bundle));
    await scene.backUp();
    fs.rmSync(scene.folder, { recursive: true });
    await scene.restore(scene.kept());
    expect(scene.facts().cluster).toBe(environmentId("homelab", bundle.cluster.id));
  }, 60_000);

  test.each(["", "nonsense"])("its cluster alone while its secrets.yaml cannot be used: %j", async (secrets) => {
    furnished();
    scene.put("lab-cluster/secrets.yaml", secrets);
    await scene.backUp();
    fs.rmSync(scene.folder, { recursive: true });
    await scene.restore(scene.kept());
    expect(scene.facts().cluster).toBe("homelab");
  });
});

describe("files outside the folder", () => {
  test.each([
    ["lab", "../base.yaml"],
    ["x/lab", "../../base.yaml"],
  ])("are included from %s with the path that the config has: %s", async (name, path) => {
    furnished({ name });
    scene.put("base.yaml", GOOD, 0o640);
    scene.put(`${name}/config.yaml`, `extends: ${path}\n`);
    await scene.backUp({ outside: true });
    expect([scene.notices(), scene.facts().files]).toEqual([[], 4]);
    expect(scene.facts().holdsNot).not.toContain("base.yaml");
    fs.rmSync(scene.at("base.yaml"));
    fs.rmSync(scene.folder, { recursive: true });
    await scene.restore(scene.kept());
    expect(scene.notices()[0]).toBe(`${path} was outside the folder and is missing here`);
  });

  test("are included with their whole path when they are further away", async () => {
    furnished({ name: "x/y/lab" });
    scene.put("base.yaml", GOOD);
    scene.put("x/y/lab/config.yaml", "extends: ../../../base.yaml\n");
    await scene.backUp({ outside: true });
    fs.rmSync(scene.at("base.yaml"));
    await scene.restore(scene.kept(), { replace: true });
    fs.rmSync(scene.folder, { recursive: true });
    await scene.restore(scene.kept());
    expect(scene.notices()[0]).toBe(`${scene.at("base.yaml")} was outside the folder and is missing here`);
  });

  test("that vanish meanwhile stop the backup", async () => {
    furnished();
    scene.put("base.yaml", GOOD);
    scene.put("lab-cluster/config.yaml", "extends: ../base.yaml\n");
    const stat = (path: string) => (path === scene.at("base.yaml") ? undefined : realFiles.stat(path));
    await expect(scene.backUp({ outside: true }, {}, { ...realFiles, stat })).rejects.toMatchObject({ code: "BACKUP_CHANGED" });
  });

  test("are not mentioned when the config refers to none", async () => {
    furnished();
    await scene.backUp();
    expect(scene.notices()).toEqual([]);
  });
});
