import { basename, dirname, join } from "node:path";
import type { FileStat, Files } from "@talosmith/lib/world/world.ts";

interface Inode {
  kind: "file" | "folder";
  mode: number;
  data: Buffer;
  /** Its content after a power cut. */
  durable: Buffer;
  modifiedMs: number;
  /** The names in a folder that survive a power cut. */
  kept: Map<string, Inode>;
}

let nonces = 0;

type Operation = "half" | "write" | "append" | "sync" | "syncFolder" | "rename" | "claim" | "remove";

/**
 * Files in memory that keep both what every process sees and what a power cut would leave: content since the last `sync` is lost, names since the
 * last `syncFolder` as well. `kill -9` never shows a missing fsync; this does.
 */
export class VolatileFiles implements Files {
  #seen = new Map<string, Inode>();
  /** Called after each operation that changes something: a moment to crash at. */
  onChange: ((operation: Operation, path: string) => void) | undefined;
  /** The file system's own clock, which sets modification times. */
  now = 0;

  constructor() {
    this.#seen.set("/", this.#inode("folder", 0o755));
  }

  /** The files after a power cut at this moment. */
  afterCrash(): VolatileFiles {
    const kept = new Map<string, Inode>();
    const walk = (path: string, inode: Inode): void => {
      kept.set(path, inode);
      for (const [name, inside] of inode.kept) walk(join(path, name), inside);
    };
    walk("/", this.#must("/", "folder"));
    return this.#copy(kept, "durable");
  }

  /** The files after the process was killed: everything it had written. */
  afterKill(): VolatileFiles {
    return this.#copy(this.#seen, "data");
  }

  #copy(from: ReadonlyMap<string, Inode>, content: "data" | "durable"): VolatileFiles {
    const left = new VolatileFiles();
    left.now = this.now;
    for (const [path, inode] of from) {
      const copy = { ...inode, data: Buffer.from(inode[content]), durable: Buffer.from(inode[content]), kept: new Map() };
      left.#seen.set(path, copy);
    }
    for (const [path, inode] of left.#seen) if (path !== "/") left.#seen.get(dirname(path))?.kept.set(basename(path), inode);
    return left;
  }

  paths(): string[] {
    return [...this.#seen.keys()].sort();
  }

  read(path: string): Uint8Array | undefined {
    const inode = this.#seen.get(path);
    return inode?.kind === "file" ? Buffer.from(inode.data) : undefined;
  }

  async *stream(path: string): AsyncIterable<Uint8Array> {
    yield Buffer.from(this.#must(path, "file").data);
  }

  create(path: string, data: Uint8Array, mode: number): void {
    if (this.#seen.has(path)) throw systemError("EEXIST", path);
    this.write(path, data, mode);
  }

  nonce(): string {
    return (++nonces).toString(16).padStart(16, "0");
  }

  /** Writes a file in place, as an editor does. */
  write(path: string, data: Uint8Array, mode: number): void {
    const inode = this.#open(path, mode);
    inode.mode = mode;
    // A truncated file may reach the disk before its new content.
    inode.durable = Buffer.alloc(0);
    this.#torn(inode, path, Buffer.alloc(0), data);
    inode.data = Buffer.from(data);
    this.onChange?.("write", path);
  }

  append(path: string, data: Uint8Array, mode: number): void {
    const inode = this.#open(path, mode);
    const before = inode.data;
    this.#torn(inode, path, before, data);
    inode.data = Buffer.concat([before, data]);
    this.onChange?.("append", path);
  }

  /** A process can be killed in the middle of a write. */
  #torn(inode: Inode, path: string, before: Buffer, data: Uint8Array): void {
    if (data.length < 2 || !this.onChange) return;
    inode.data = Buffer.concat([before, data.subarray(0, data.length / 2)]);
    this.onChange("half", path);
  }

  sync(path: string): void {
    const inode = this.#must(path, "file");
    inode.durable = Buffer.from(inode.data);
    this.onChange?.("sync", path);
  }

  syncFolder(path: string): void {
    const inside = [...this.#seen].filter(([name]) => name !== "/" && dirname(name) === path);
    this.#must(path, "folder").kept = new Map(inside.map(([name, inode]) => [basename(name), inode]));
    this.onChange?.("syncFolder", path);
  }

  rename(from: string, to: string): void {
    const inode = this.#must(from, "file");
    this.#seen.delete(from);
    this.#seen.set(to, inode);
    this.onChange?.("rename", to);
  }

  claim(from: string, to: string): boolean {
    this.#must(from, "folder");
    if (this.#seen.get(to)?.kind === "file" || below(this.#seen, to).length > 1) return false;
    for (const [inside, inode] of below(this.#seen, from)) {
      this.#seen.delete(inside);
      this.#seen.set(to + inside.slice(from.length), inode);
    }
    this.onChange?.("claim", to);
    return true;
  }

  touch(path: string): void {
    const inode = this.#seen.get(path);
    if (inode) inode.modifiedMs = this.now;
  }

  remove(path: string): void {
    for (const [name] of below(this.#seen, path)) this.#seen.delete(name);
    this.onChange?.("remove", path);
  }

  list(path: string): string[] | undefined {
    if (this.#seen.get(path)?.kind !== "folder") return undefined;
    return [...this.#seen.keys()]
      .filter((name) => name !== "/" && dirname(name) === path)
      .map((name) => name.slice(path === "/" ? 1 : path.length + 1))
      .sort();
  }

  makeFolder(path: string, mode: number): void {
    if (this.#seen.has(path)) return;
    this.makeFolder(dirname(path), mode);
    this.#seen.set(path, this.#inode("folder", mode));
  }

  stat(path: string): FileStat | undefined {
    const inode = this.#seen.get(path);
    return inode && { kind: inode.kind, size: inode.data.length, mode: inode.mode, modifiedMs: inode.modifiedMs };
  }

  linkTarget(): string | undefined {
    return undefined;
  }

  #inode(kind: Inode["kind"], mode: number): Inode {
    return { kind, mode, data: Buffer.alloc(0), durable: Buffer.alloc(0), modifiedMs: this.now, kept: new Map() };
  }

  #open(path: string, mode: number): Inode {
    this.#must(dirname(path), "folder");
    const inode = this.#seen.get(path) ?? this.#inode("file", mode);
    inode.modifiedMs = this.now;
    this.#seen.set(path, inode);
    return inode;
  }

  #must(path: string, kind: "file" | "folder"): Inode {
    const inode = this.#seen.get(path);
    if (inode?.kind !== kind) throw systemError("ENOENT", path);
    return inode;
  }
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: '${path}'`), { code });
}

/** A file, or a folder with everything in it. */
function below(all: ReadonlyMap<string, Inode>, path: string): [string, Inode][] {
  return [...all].filter(([name]) => name === path || name.startsWith(`${path}/`));
}
