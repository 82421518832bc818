import type { Files } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { failingFiles, systemError } from "../../test/support/failing-files.ts";
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

const RECORD = "/home/homelab/.talosmith/place.json";

test("the location is recorded for the owner only and survives a power failure", () => {
  const files = new VolatileFiles();
  files.makeFolder("/home/homelab", 0o700);
  files.syncFolder("/");
  files.syncFolder("/home");
  expect(work(files)).toBeUndefined();
  expect(JSON.parse(String(files.afterCrash().read(RECORD)))).toEqual({
    folder: "/home/homelab",
    host: "desk",
    cluster: "homelab",
    environment: ID,
  });
  expect([files.stat(RECORD)?.mode, files.stat("/home/homelab/.talosmith")?.mode]).toEqual([0o600, 0o700]);
});

test("the same folder is at home, again and again, and writes nothing", () => {
  const writes = failingFiles(homelab(), { at: 0, code: "EIO" });
  expect(work(writes)).toBeUndefined();
  expect(writes.operations).toEqual([]);
});

test("before the secrets exist nothing is recorded", () => {
  const files = new VolatileFiles();
  const env = { folder: "/home/homelab", shown: "homelab", config: { cluster: { name: "homelab" } } as Config };
  expect(settle(testWorld({ files }), { ...env, where: () => undefined }, undefined)).toBeUndefined();
  expect(files.paths()).toEqual(["/"]);
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

test("the refusal of another name points at the name in the config", () => {
  const files = homelab();
  const where = { file: "config.yaml", line: 2, column: 9 };
  const config = { cluster: { name: "other" } } as Config;
  const env = { folder: "/home/homelab", shown: "homelab", config, where: () => where };
  expect(() => refuseOtherName(testWorld({ files }), env, () => "other-0a1b2c3d")).toThrow(expect.objectContaining({ where }));
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
  expect(work(files, { folder: "/home/moved" })).toBe(
    "this environment was in /home/homelab; it is here now. Use it from one folder only",
  );
  expect(work(files, { folder: "/home/moved" })).toBeUndefined();
});

test("on another machine, from a backup, it is at home, and says where it was", () => {
  const files = homelab();
  expect(work(files, { host: "laptop" })).toContain("was in /home/homelab on desk;");
  expect(work(files, { host: "laptop" })).toBeUndefined();
});

test("only secrets.yaml in a new folder is the same cluster shared on purpose", () => {
  const files = homelab();
  write(files, "/home/clone/secrets.yaml", "the secrets of homelab");
  expect(work(files, { folder: "/home/clone" })).toBeUndefined();
});

test("a copy is refused on a file system that numbers its folders, too", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/copy");
  const stat = files.stat.bind(files);
  files.stat = (path) => {
    const found = stat(path);
    return found && { ...found, id: path };
  };
  expect(() => work(files, { folder: "/home/copy" })).toThrow(expect.objectContaining({ code: "COPIED_FOLDER" }));
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

test("new secrets in the folder mean another cluster, under the same name or another", () => {
  const files = homelab();
  expect(work(files, { id: "homelab-99999999" })).toBeUndefined();
  expect(work(files, { name: "other", id: "other-19999999" })).toBeUndefined();
});

test("a folder is moved, not copied, when other secrets are in its former place by now", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/moved");
  write(files, "/home/homelab/secrets.yaml", "the secrets of another cluster");
  expect(work(files, { folder: "/home/moved" })).toContain("was in /home/homelab;");
});

test("a folder whose own secrets cannot be found is not called a copy", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/moved");
  files.remove("/home/moved/secrets.yaml");
  expect(work(files, { folder: "/home/moved" })).toContain("was in /home/homelab;");
});

test("a former place that may not be looked into is not called the original", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/moved");
  const denied = (look: (path: string) => unknown) => (path: string) => {
    if (path.startsWith("/home/homelab")) throw systemError("EACCES", "open");
    return look(path);
  };
  const others = new Proxy(files, {
    get: (_, name: keyof VolatileFiles) => {
      const member = files[name];
      if (typeof member !== "function") return member;
      const call = member.bind(files) as (path: string) => unknown;
      return name === "read" || name === "stat" ? denied(call) : call;
    },
  });
  expect(work(others, { folder: "/home/moved" })).toContain("was in /home/homelab;");
});

test("a folder of the same path on another machine is never called a copy", () => {
  const files = homelab();
  copy(files, "/home/homelab", "/home/copy");
  expect(work(files, { folder: "/home/copy", host: "laptop" })).toContain("was in /home/homelab on desk;");
});

const PLACE = { folder: "/home/before", host: "desk", cluster: "homelab", environment: ID };

test.each([
  ["empty", ""],
  ["cut off", "{"],
  ["null", "null"],
  ["full of zeros", "\0\0"],
  ...Object.keys(PLACE).flatMap((key) => [
    [`without ${key}`, JSON.stringify({ ...PLACE, [key]: undefined })],
    [`with a number as ${key}`, JSON.stringify({ ...PLACE, [key]: 1 })],
  ]),
])("a record that is %s is ignored and rewritten, whatever the cluster is called", (_, text = "") => {
  for (const at of [{}, { name: "other", id: "other-0a1b2c3d" }]) {
    const files = homelab();
    write(files, RECORD, text);
    expect(work(files, at)).toBeUndefined();
    expect(JSON.parse(String(files.read(RECORD)))).toMatchObject({ folder: "/home/homelab", cluster: at.name ?? "homelab" });
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
  expect(() => refuseOtherName(testWorld({ files }), other, () => undefined)).not.toThrow();
  expect(() => refuseOtherName(testWorld(), other, () => "other-0a1b2c3d")).not.toThrow();
  expect(() => refuseOtherName(testWorld({ files }), other, () => "other-0a1b2c3d")).toThrow(
    expect.objectContaining({ code: "COPIED_FOLDER" }),
  );
});
