import { dirname } from "node:path";
import type { FileStat, Files } from "../../src/lib/world/world.ts";

interface Inode {
  kind: "file" | "folder";
  mode: number;
  data: Buffer;
  /** What a power cut leaves of it. */
  durable: Buffer;
}

/**
 * Files in memory that keep, beside what every process sees, what a power cut would leave: content since the last `sync` is lost,
 * names since the last `syncFolder` too. `kill -9` never shows a missing fsync; this does.
 */
export class VolatileFiles implements Files {
  #seen = new Map<string, Inode>();
  #kept = new Map<string, Inode>();
  /** Called after each operation that changes something: the moments worth crashing at. */
  onChange:
    | ((operation: "half" | "write" | "append" | "sync" | "syncFolder" | "rename" | "link" | "remove", path: string) => void)
    | undefined;

  constructor() {
    const root: Inode = { kind: "folder", mode: 0o755, data: Buffer.alloc(0), durable: Buffer.alloc(0) };
    this.#seen.set("/", root);
    this.#kept.set("/", root);
  }

  /** What is left after the power was cut at this moment. */
  afterCrash(): VolatileFiles {
    const left = new VolatileFiles();
    for (const [path, inode] of this.#kept) {
      const copy: Inode = { ...inode, data: Buffer.from(inode.durable), durable: Buffer.from(inode.durable) };
      left.#seen.set(path, copy);
      left.#kept.set(path, copy);
    }
    return left;
  }

  /** What is left after the process was killed: everything it had written. */
  afterKill(): VolatileFiles {
    const left = new VolatileFiles();
    for (const [path, inode] of this.#seen) {
      const copy: Inode = { ...inode, data: Buffer.from(inode.data), durable: Buffer.from(inode.data) };
      left.#seen.set(path, copy);
      left.#kept.set(path, copy);
    }
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

  write(path: string, data: Uint8Array, mode: number): void {
    const inode = this.#open(path, mode);
    inode.mode = mode;
    // A truncated file may reach the disk before its new content does.
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
    this.#must(path, "folder");
    for (const name of this.#kept.keys())
      if (name !== "/" && dirname(name) === path && !this.#seen.has(name)) this.#kept.delete(name);
    for (const [name, inode] of this.#seen) if (name !== "/" && dirname(name) === path) this.#kept.set(name, inode);
    this.onChange?.("syncFolder", path);
  }

  rename(from: string, to: string): void {
    const inode = this.#must(from, "file");
    this.#seen.delete(from);
    this.#seen.set(to, inode);
    this.onChange?.("rename", to);
  }

  link(from: string, to: string): boolean {
    if (this.#seen.has(to)) return false;
    this.#seen.set(to, this.#must(from, "file"));
    this.onChange?.("link", to);
    return true;
  }

  remove(path: string): void {
    for (const name of [...this.#seen.keys()]) if (name === path || name.startsWith(`${path}/`)) this.#seen.delete(name);
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
    this.#seen.set(path, { kind: "folder", mode, data: Buffer.alloc(0), durable: Buffer.alloc(0) });
  }

  stat(path: string): FileStat | undefined {
    const inode = this.#seen.get(path);
    return inode && { kind: inode.kind, size: inode.data.length, mode: inode.mode, modifiedMs: 0 };
  }

  #open(path: string, mode: number): Inode {
    this.#must(dirname(path), "folder");
    const inode = this.#seen.get(path) ?? { kind: "file", mode, data: Buffer.alloc(0), durable: Buffer.alloc(0) };
    this.#seen.set(path, inode);
    return inode;
  }

  #must(path: string, kind: "file" | "folder"): Inode {
    const inode = this.#seen.get(path);
    if (inode?.kind !== kind) throw Object.assign(new Error(`ENOENT: no such ${kind}, '${path}'`), { code: "ENOENT" });
    return inode;
  }
}
