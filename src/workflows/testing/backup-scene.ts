import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encryptAge } from "@talosmith/lib/age/crypt.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { type PackedEntry, packTar } from "@talosmith/lib/tar/pack.ts";
import { realFiles } from "@talosmith/lib/world/files.ts";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import { testWorld } from "../../../test/support/test-world.ts";
import { GOOD } from "../../config/testing/config-in-memory.ts";
import { EventBus } from "../../engine/bus.ts";
import type { Event } from "../../engine/event.ts";
import { type BackupWishes, backUp } from "../backup.ts";
import { type RestoreWishes, restore } from "../restore.ts";

/* A folder on the real disk, and the commands a user would type. */

// The pair of the age project's own format tests: 32 bytes of 0x42.
export const SECRET_KEY = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";
export const RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";

export interface Tree {
  [path: string]: { text: string; mode: number };
}

export interface SceneWishes {
  /** The path of the folder, below the home of the scene. */
  name?: string;
  /** Fixes the time. */
  now?: number;
  /** Where the commands run. */
  inside?: (world: World) => World;
}

export function backupScene({ name = "lab-cluster", now, inside = (world) => world }: SceneWishes = {}) {
  const home = fs.mkdtempSync(join(tmpdir(), "talosmith-backup-"));
  const at = (...names: string[]) => join(home, ...names);
  const folder = at(name);
  const put = (path: string, text: string | Buffer, mode = 0o600) => {
    fs.mkdirSync(join(home, path, ".."), { recursive: true, mode: 0o700 });
    fs.writeFileSync(at(path), text);
    fs.chmodSync(at(path), mode);
  };
  put("key.txt", `${SECRET_KEY}\n`);
  put("passphrase", "correct horse battery\n");
  fs.mkdirSync(at("kept"));
  let events: Event[] = [];
  let stop = new AbortController();
  const session = (files: Files = realFiles, env: Record<string, string> = {}) => {
    const made = testWorld({ files, env: { PROXMOX_TOKEN: "a@pve!b=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e", ...env } });
    const world = inside(now === undefined ? made : { ...made, clock: { ...made.clock, now: () => now } });
    const redactor = new Redactor();
    const bus = new EventBus(world.clock, redactor);
    events = [];
    bus.listen((event) => events.push(event));
    stop = new AbortController();
    return { world, bus, redactor, signal: stop.signal, mayMutate: () => {} };
  };
  const noTerminal = async () => undefined;
  return {
    home,
    folder,
    at,
    put,
    /** A small environment. */
    furnish: () => {
      put(`${name}/config.yaml`, GOOD, 0o644);
      put(`${name}/secrets.yaml`, "cluster:\n  id: one\n");
      put(`${name}/patches/all.yaml`, "machine: {}\n", 0o640);
    },
    backUp: (wishes: Partial<BackupWishes> = {}, env: Record<string, string> = {}, files?: Files) => {
      const all = {
        recipients: [RECIPIENT],
        s3: {},
        outside: false,
        madeBy: "talosmith test",
        to: at("kept/"),
        workFactor: 4,
        ...wishes,
      };
      return backUp(session(files, env), folder, all, noTerminal);
    },
    restore: (from: string, wishes: Partial<RestoreWishes> = {}, files?: Files, env?: Record<string, string>) => {
      const all = { identityFiles: [at("key.txt")], s3: {}, replace: false, confirm: async () => true, ...wishes };
      return restore(session(files, env), from, folder, all, noTerminal);
    },
    /** As a signal does to the command that runs. */
    interrupt: () => stop.abort(new Error("interrupted")),
    /** The newest backup. */
    kept: () => at("kept", fs.readdirSync(at("kept")).sort().at(-1) ?? ""),
    /** Makes an archive of these entries with age alone. */
    byHand: async (file: string, entries: readonly PackedEntry[]) => {
      const { parts } = await encryptAge(packTar(entries), { recipients: [RECIPIENT] });
      for await (const part of parts) fs.appendFileSync(at(file), part);
      return at(file);
    },
    tree: (path = folder): Tree => {
      const names = fs.existsSync(path) ? fs.readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
      const files = names.filter((name) => fs.statSync(join(path, name)).isFile());
      const entry = (name: string) => ({
        text: fs.readFileSync(join(path, name)).toString("hex"),
        mode: fs.statSync(join(path, name)).mode & 0o777,
      });
      return Object.fromEntries(files.sort().map((name) => [name, entry(name)]));
    },
    events: () => events,
    titles: () =>
      events.flatMap((event) => (event.type === "result" && event.result.kind === "facts" ? [event.result.title] : [])),
    facts: () =>
      Object.fromEntries(
        events.flatMap((event) =>
          event.type === "result" && event.result.kind === "facts"
            ? event.result.facts.map(({ key, value }) => [key, value])
            : [],
        ),
      ),
    notices: () => events.flatMap((event) => (event.type === "notice" ? [event.message] : [])),
    end: () => fs.rmSync(home, { recursive: true }),
  };
}

export function entry(name: string, text: string, mode = 0o600): PackedEntry {
  const bytes = Buffer.from(text);
  const open = async function* () {
    yield bytes;
  };
  return { name, mode, modifiedMs: 1_700_000_000_000, content: { size: bytes.length, open } };
}
