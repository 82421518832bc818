import { dirname, join, relative, resolve } from "node:path";
import type { FileStat, Files } from "./world.ts";

interface Own {
  kind: "file" | "folder";
  mode: number;
  parts: Buffer[];
  size: number;
  modifiedMs: number;
}

/**
 * A layer in memory over other files. Reads show what is below unless it is hidden or was changed here; every change stays in memory and is lost with the
 * process, so nothing below can change and nothing has to be cleaned up.
 */
export class LayeredFiles implements Files {
  readonly #below: Files;
  readonly #hides: (path: string) => boolean;
  readonly #now: () => number;
  readonly #own = new Map<string, Own>();
  /** Removed names that exist below, with everything in them. */
  readonly #gone = new Set<string>();

  /** `hides`: absolute paths that do not exist here, although they exist below; what is in a hidden folder is hidden too. */
  constructor(below: Files, hides: (path: string) => boolean, now: () => number) {
    this.#below = below;
    this.#hides = hides;
    this.#now = now;
  }

  /** Writes a file in place, with the folders above it. */
  put(path: string, text: string, mode = 0o600): void {
    const at = resolve(path);
    this.makeFolder(dirname(at), 0o700);
    this.#gone.delete(at);
    this.#own.set(at, this.#file(Buffer.from(text), mode));
  }

  /** Returns a function that undoes every later change of files that were in this layer or below it. */
  keep(): () => void {
    const own = new Map([...this.#own].map(([path, one]) => [path, { ...one, parts: [...one.parts] }]));
    const gone = [...this.#gone];
    return () => {
      this.#own.clear();
      for (const [path, one] of own) this.#own.set(path, one);
      this.#gone.clear();
      for (const path of gone) this.#gone.add(path);
    };
  }

  read(path: string): Uint8Array | undefined {
    const at = resolve(path);
    const own = this.#own.get(at);
    if (own) return own.kind === "file" ? bytesOf(own) : undefined;
    return this.#isHidden(at) ? undefined : this.#below.read(at);
  }

  async *stream(path: string): AsyncIterable<Uint8Array> {
    const at = resolve(path);
    const own = this.#own.get(at);
    if (own) yield bytesOf(own);
    else if (this.#isHidden(at)) throw systemError("ENOENT", path);
    else yield* this.#below.stream(at);
  }

  create(path: string, data: Uint8Array, mode: number): void {
    if (this.stat(path) || this.linkTarget(path) !== undefined) throw systemError("EEXIST", path);
    this.#requireFolder(dirname(resolve(path)));
    this.#own.set(resolve(path), this.#file(Buffer.from(data), mode));
  }

  nonce(): string {
    return this.#below.nonce();
  }

  append(path: string, data: Uint8Array, mode: number): void {
    const at = resolve(path);
    this.#requireFolder(dirname(at));
    const file = this.#ownFile(at) ?? this.#file(Buffer.alloc(0), mode);
    file.parts.push(Buffer.from(data));
    file.size += data.length;
    file.modifiedMs = this.#now();
    this.#own.set(at, file);
  }

  sync(): void {}

  syncFolder(): void {}

  rename(from: string, to: string): void {
    const file = this.#ownFile(resolve(from));
    if (!file) throw systemError("ENOENT", from);
    this.remove(from);
    this.#own.set(resolve(to), file);
  }

  claim(from: string, to: string): boolean {
    const [source, target] = [resolve(from), resolve(to)];
    if (this.#own.get(source)?.kind !== "folder") throw systemError("ENOENT", from);
    if (this.stat(target)?.kind === "file" || (this.list(target) ?? []).length > 0) return false;
    for (const [path, own] of this.#within(source)) {
      this.#own.delete(path);
      this.#own.set(join(target, relative(source, path)), own);
    }
    return true;
  }

  touch(path: string): void {
    const own = this.#ownFile(resolve(path)) ?? this.#own.get(resolve(path));
    if (own) own.modifiedMs = this.#now();
  }

  remove(path: string): void {
    const at = resolve(path);
    for (const [inside] of this.#within(at)) this.#own.delete(inside);
    if (!this.#isHidden(at) && this.#below.stat(at)) this.#gone.add(at);
  }

  list(path: string): string[] | undefined {
    const at = resolve(path);
    const own = [...this.#own.keys()].filter((name) => name !== at && dirname(name) === at).map((name) => relative(at, name));
    const below = this.#isHidden(at) ? undefined : this.#below.list(at)?.filter((name) => !this.#isHidden(join(at, name)));
    if (below === undefined && this.#own.get(at)?.kind !== "folder") return undefined;
    return [...new Set([...(below ?? []), ...own])].sort();
  }

  makeFolder(path: string, mode: number): void {
    const at = resolve(path);
    if (this.stat(at)) return;
    this.makeFolder(dirname(at), mode);
    this.#own.set(at, { kind: "folder", mode, parts: [], size: 0, modifiedMs: this.#now() });
  }

  stat(path: string): FileStat | undefined {
    const at = resolve(path);
    const own = this.#own.get(at);
    if (own) return { kind: own.kind, size: own.size, mode: own.mode, modifiedMs: own.modifiedMs };
    return this.#isHidden(at) ? undefined : this.#below.stat(at);
  }

  linkTarget(path: string): string | undefined {
    const at = resolve(path);
    return this.#own.has(at) || this.#isHidden(at) ? undefined : this.#below.linkTarget(at);
  }

  #file(data: Buffer, mode: number): Own {
    return { kind: "file", mode, parts: [data], size: data.length, modifiedMs: this.#now() };
  }

  /** A file of this layer; one that exists only below is copied first. */
  #ownFile(at: string): Own | undefined {
    const own = this.#own.get(at);
    if (own) return own.kind === "file" ? own : undefined;
    const stat = this.stat(at);
    const data = stat?.kind === "file" ? this.read(at) : undefined;
    if (!stat || !data) return undefined;
    const copy = this.#file(Buffer.from(data), stat.mode & 0o777);
    this.#own.set(at, copy);
    return copy;
  }

  #requireFolder(at: string): void {
    if (this.stat(at)?.kind !== "folder") throw systemError("ENOENT", at);
  }

  #isHidden(at: string): boolean {
    for (let path = at; ; path = dirname(path)) {
      if (this.#gone.has(path) || this.#hides(path)) return true;
      if (path === dirname(path)) return false;
    }
  }

  #within(at: string): [string, Own][] {
    return [...this.#own].filter(([path]) => path === at || path.startsWith(`${at}/`));
  }
}

function bytesOf(file: Own): Buffer {
  if (file.parts.length > 1) file.parts = [Buffer.concat(file.parts)];
  return Buffer.from(file.parts[0] ?? []);
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: '${path}'`), { code });
}
