import type { Files } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import type { Config } from "../config/config.ts";
import { refuseOtherName, settle } from "./place.ts";

const ID = "homelab-0a1b2c3d";

interface At {
  folder?: string;
  name?: string;
  id?: string;
  host?: string;
}

/** A command that changes things, in some folder on some machine. */
function work(files: Files, { folder = "/home/homelab", name = "homelab", id = ID, host = "desk" }: At = {}) {
  const config = { cluster: { name } } as Config;
  return settle(testWorld({ files, self: { host } }), { folder, shown: folder, config, where: () => undefined }, id);
}

function write(files: VolatileFiles, path: string, text: string): void {
  files.makeFolder(path.slice(0, path.lastIndexOf("/")), 0o700);
  files.write(path, Buffer.from(text), 0o600);
}

/** `cp -r` */
function copy(files: VolatileFiles, from: string, to: string): void {
  for (const path of files.paths())
    if (path.startsWith(`${from}/`) && files.stat(path)?.kind === "file")
      write(files, `${to}${path.slice(from.length)}`, Buffer.from(files.read(path) ?? []).toString("utf8"));
}

function homelab(): VolatileFiles {
  const files = new VolatileFiles();
  write(files, "/home/homelab/config.yaml", "…");
  write(files, "/home/homelab/secrets.yaml", "the secrets of homelab");
  write(files, "/home/homelab/patch-cp-1.yaml", "…");
  expect(work(files)).toBeUndefined();
  return files;
}

test("the same folder is at home, again and again", () => {
  const files = homelab();
  const before = files.read("/home/homelab/.talosmith/place.json");
  expect(work(files)).toBeUndefined();
  expect(files.read("/home/homelab/.talosmith/place.json")).toEqual(before);
});

test("a copy with another cluster.name is refused, with the files that must go", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/other");
  expect(() => work(files, { folder: "/home/other", name: "other", id: "other-0a1b2c3d" })).toThrow(
    expect.objectContaining({
      code: "COPIED_FOLDER",
      message: expect.stringContaining("belong to the cluster homelab"),
      hint: expect.stringContaining("cd /home/other && rm -r .talosmith patch-cp-1.yaml secrets.yaml"),
    }),
  );
});

test("another cluster.name in the original folder is refused, without a hint to remove its only secrets", () => {
  const files = homelab();
  const renamed = () => work(files, { name: "other", id: "other-0a1b2c3d" });
  expect(renamed).toThrow(expect.objectContaining({ code: "COPIED_FOLDER" }));
  expect(renamed).toThrow(expect.objectContaining({ hint: expect.not.stringContaining("rm ") }));
});

test("once the files are removed, the copy is a cluster of its own", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/other");
  for (const name of [".talosmith", "patch-cp-1.yaml", "secrets.yaml"]) files.remove(`/home/other/${name}`);
  write(files, "/home/other/secrets.yaml", "the secrets of other");
  expect(work(files, { folder: "/home/other", name: "other", id: "other-99999999" })).toBeUndefined();
  expect(work(files)).toBeUndefined();
});

test("a copy of the same name is refused while the original holds the same secrets, with both paths", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/copy");
  expect(() => work(files, { folder: "/home/copy" })).toThrow(
    expect.objectContaining({
      code: "COPIED_FOLDER",
      message: "/home/copy is a copy of /home/homelab, and both are the cluster homelab",
    }),
  );
  expect(work(files)).toBeUndefined();
});

test("a folder that was moved is at home in its new place, and says so once", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/moved");
  files.remove("/home/homelab");
  expect(work(files, { folder: "/home/moved" })).toContain("was in /home/homelab");
  expect(work(files, { folder: "/home/moved" })).toBeUndefined();
});

test("on another machine, from a backup, it is at home, and says where it was", () => {
  const files = homelab();
  expect(work(files, { host: "laptop" })).toContain("was in /home/homelab on desk");
});

test("only secrets.yaml in a new folder is the same cluster shared on purpose", () => {
  const files = homelab();
  write(files, "/home/clone/secrets.yaml", "the secrets of homelab");
  expect(work(files, { folder: "/home/clone" })).toBeUndefined();
});

test("another path to the same folder is not treated as a copy", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/mnt/link");
  const linked = Object.assign(Object.create(files) as VolatileFiles, {
    read: (path: string) => files.read(path),
    list: (path: string) => files.list(path),
    stat: (path: string) => ({ kind: "folder", size: 0, mode: 0o700, modifiedMs: 0, id: "1:2", ...files.stat(path) }),
    nonce: () => files.nonce(),
    create: (path: string, data: Uint8Array, mode: number) => files.create(path, data, mode),
    sync: (path: string) => files.sync(path),
    rename: (from: string, to: string) => files.rename(from, to),
    syncFolder: (path: string) => files.syncFolder(path),
  });
  expect(work(linked, { folder: "/mnt/link" })).toBeUndefined();
});

test("new secrets in the folder mean another cluster, and an invalid record is rewritten", () => {
  const files = homelab();
  expect(work(files, { id: "homelab-99999999" })).toBeUndefined();
  for (const nonsense of ["", "{", "null", '{"folder": 1}', "\0\0"]) {
    write(files, "/home/homelab/.talosmith/place.json", nonsense);
    expect(work(files)).toBeUndefined();
  }
});

test("a read-only command is refused for a wrong name, too, and reads the secrets only then", () => {
  const files = homelab();
  const env = {
    folder: "/home/homelab",
    shown: "homelab",
    config: { cluster: { name: "homelab" } } as Config,
    where: () => undefined,
  };
  refuseOtherName(testWorld({ files }), env, () => {
    throw new Error("read");
  });
  const other = { ...env, config: { cluster: { name: "other" } } as Config };
  expect(() => refuseOtherName(testWorld({ files }), other, () => "other-0a1b2c3d")).toThrow(
    expect.objectContaining({ code: "COPIED_FOLDER" }),
  );
});
