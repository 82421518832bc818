import { posix } from "node:path";

/** Changes to a container's files since its start, by path: plain data, part of the lab's state. */
export type WrittenFiles = Record<string, WrittenFile>;

export type WrittenFile = { is: "file"; base64: string; mode: number } | { is: "folder" } | { is: "gone" };

/** Folders of every container. */
const FOLDERS = ["/", "/bin", "/dev", "/etc", "/home", "/proc", "/root", "/sys", "/tmp", "/usr", "/usr/bin", "/var", "/var/tmp"];

export interface FileEntry {
  /** Absolute. */
  path: string;
  mode: number;
  /** Absent: a folder. */
  content?: Buffer;
}

/** A failed file operation, with the message of the C library. */
export class FileTrouble extends Error {}

/** The files of one container: those of its image and its volumes, which are read-only, and those written since its start. */
export class Files {
  readonly #given: ReadonlyMap<string, string>;
  readonly #volumes: readonly string[];
  readonly #written: WrittenFiles;
  readonly #put: (path: string, entry: WrittenFile) => void;

  constructor(
    given: Record<string, string>,
    volumes: readonly string[],
    { written, change }: { written: WrittenFiles; change: (path: string, entry: WrittenFile) => void },
  ) {
    this.#given = new Map(Object.entries(given));
    this.#volumes = volumes;
    this.#written = written;
    this.#put = change;
  }

  read(path: string): Buffer | undefined {
    const written = this.#entry(path);
    if (written) return written.is === "file" ? Buffer.from(written.base64, "base64") : undefined;
    const given = this.#given.get(path);
    return given === undefined ? undefined : Buffer.from(given);
  }

  isFolder(path: string): boolean {
    const written = this.#entry(path);
    if (written) return written.is === "folder";
    return FOLDERS.includes(path) || this.#volumes.includes(path) || this.#below(path).length > 0;
  }

  exists(path: string): boolean {
    return this.isFolder(path) || this.read(path) !== undefined;
  }

  /** The names in a folder. */
  names(folder: string): string[] {
    const prefix = folder === "/" ? "/" : `${folder}/`;
    const names = this.#below(folder).map((path) => path.slice(prefix.length).split("/")[0] ?? "");
    return [...new Set(names)].sort();
  }

  write(path: string, content: Buffer, mode = 0o644): void {
    if (this.isFolder(path)) throw new FileTrouble("Is a directory");
    if (!this.isFolder(posix.dirname(path))) throw new FileTrouble("No such file or directory");
    this.#change(path, { is: "file", base64: content.toString("base64"), mode });
  }

  makeFolder(path: string): void {
    if (!this.isFolder(posix.dirname(path))) throw new FileTrouble("No such file or directory");
    this.#change(path, { is: "folder" });
  }

  remove(path: string): void {
    for (const below of [path, ...this.#below(path)]) this.#change(below, { is: "gone" });
  }

  /** A file, or a folder with its content. */
  tree(path: string): FileEntry[] {
    const content = this.read(path);
    const written = this.#entry(path);
    if (content) return [{ path, mode: written?.is === "file" ? written.mode : 0o644, content }];
    return [{ path, mode: 0o755 }, ...this.names(path).flatMap((name) => this.tree(posix.join(path, name)))];
  }

  #entry(path: string): WrittenFile | undefined {
    return Object.hasOwn(this.#written, path) ? this.#written[path] : undefined;
  }

  #change(path: string, entry: WrittenFile): void {
    if (this.#volumes.some((volume) => path === volume || path.startsWith(`${volume}/`)) && this.#given.has(path)) {
      throw new FileTrouble("Read-only file system");
    }
    this.#put(path, entry);
  }

  /** All paths below the folder. */
  #below(folder: string): string[] {
    const prefix = folder === "/" ? "/" : `${folder}/`;
    const all = [...FOLDERS, ...this.#volumes, ...this.#given.keys(), ...Object.keys(this.#written)];
    return all.filter((path) => path !== folder && path.startsWith(prefix) && this.#entry(path)?.is !== "gone");
  }
}
