import { posix } from "node:path";
import ssh2, { type Attributes, type SFTPWrapper } from "ssh2";
import type { Lab } from "../kernel/kernel.ts";
import { FileProblem } from "../shell/streams.ts";
import { isFolder, makeFolder, namesIn, readBytes, removeFile, whyNotWritten, writeFile } from "./files.ts";
import { rootView } from "./root-view.ts";
import { isOff, type RootView, SERVICE } from "./state.ts";

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

/** Root's home: where paths that begin nowhere begin. */
const HOME = "/root";
const FOLDER_MODE = 0o040755;
const FILE_MODE = 0o100644;

interface Open {
  path: string;
  bytes: Buffer;
  writes: boolean;
  /** Of a folder: what was not told yet. */
  names?: string[];
}

interface Asked {
  accept: () => SFTPWrapper;
  reject: () => void;
  cut: () => void;
}

/** The subsystem sftp and scp use, past the recorder and the faults; one entry for a session, whatever it moves. */
export function serveFiles(lab: Lab, host: string, asked: Asked): void {
  begin(lab, host, asked).catch(() => asked.cut());
}

async function begin(lab: Lab, host: string, { accept, reject, cut }: Asked): Promise<void> {
  const fault = lab.turn(() => {
    const call = { service: SERVICE, site: "sftp", resource: `${host}: sftp`, mutating: true };
    const entry = lab.recorder.begin(call);
    const fault = lab.fault(call);
    if (fault) entry.fault = fault.kind;
    return fault;
  });
  if (fault?.kind === "cut-before" || fault?.kind === "cut-after") return cut();
  if (fault?.kind === "delay") await lab.sleep(fault.ms);
  if (fault?.kind === "refuse" || fault?.kind === "task-error") return reject();
  new Session(lab, host, accept(), cut).listen();
}

/** Says no, as draft-ietf-secsh-filexfer-02 numbers it. */
class Status extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

class Session {
  readonly #lab: Lab;
  readonly #host: string;
  readonly #sftp: SFTPWrapper;
  readonly #cut: () => void;
  readonly #open = new Map<number, Open>();
  #next = 0;

  constructor(lab: Lab, host: string, sftp: SFTPWrapper, cut: () => void) {
    this.#lab = lab;
    this.#host = host;
    this.#sftp = sftp;
    this.#cut = cut;
  }

  listen(): void {
    const sftp = this.#sftp;
    sftp.on("OPEN", (id, path, flags) => this.#answer(id, (view) => sftp.handle(id, this.#opened(view, at(path), flags))));
    sftp.on("READ", (id, handle, offset, length) => this.#answer(id, () => this.#read(id, handle, offset, length)));
    sftp.on("WRITE", (id, handle, offset, bytes) => this.#change(id, () => this.#written(this.#of(handle), offset, bytes)));
    sftp.on("CLOSE", (id, handle) => this.#change(id, (view) => this.#closed(view, handle)));
    sftp.on("FSTAT", (id, handle) => this.#answer(id, () => sftp.attrs(id, this.#attributes(FILE_MODE, this.#of(handle).bytes))));
    for (const event of ["STAT", "LSTAT"] as const)
      sftp.on(event as "STAT", (id, path) => this.#answer(id, (view) => sftp.attrs(id, this.#status(view, at(path)))));
    // Every file is root's, so that modes make no difference.
    sftp.on("SETSTAT", (id, path) => this.#change(id, (view) => void this.#status(view, at(path))));
    sftp.on("FSETSTAT", (id, handle) => this.#change(id, () => void this.#of(handle)));
    sftp.on("REALPATH", (id, path) => this.#answer(id, (view) => sftp.name(id, [this.#entry(view, at(path), at(path))])));
    sftp.on("OPENDIR", (id, path) => this.#answer(id, (view) => sftp.handle(id, this.#listed(view, at(path)))));
    sftp.on("READDIR", (id, handle) => this.#answer(id, (view) => this.#tell(id, view, this.#of(handle))));
    sftp.on("MKDIR", (id, path) => this.#change(id, (view) => makeNewFolder(view, at(path))));
    sftp.on("REMOVE", (id, path) => this.#change(id, (view) => removeExisting(view, at(path))));
    sftp.on("RENAME", (id, from, to) => this.#change(id, (view) => move(view, at(from), at(to))));
  }

  /** One request at one instant; a host that is off by now does not answer. */
  #answer(id: number, work: (view: RootView) => void): void {
    try {
      this.#lab.turn(() => (isOff(this.#lab, this.#host) ? this.#cut() : work(rootView(this.#lab, this.#host))));
    } catch (error) {
      if (error instanceof Status) this.#sftp.status(id, error.code, error.message);
      else if (error instanceof FileProblem) this.#sftp.status(id, STATUS_CODE.FAILURE, error.message);
      else this.#cut();
    }
  }

  #change(id: number, work: (view: RootView) => void): void {
    this.#answer(id, (view) => {
      work(view);
      this.#sftp.status(id, STATUS_CODE.OK);
    });
  }

  #of(handle: Buffer): Open {
    const found = handle.length === 4 ? this.#open.get(handle.readUInt32BE()) : undefined;
    if (!found) throw new Status(STATUS_CODE.FAILURE, "Failure");
    return found;
  }

  #handle(open: Open): Buffer {
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(this.#next);
    this.#open.set(this.#next++, open);
    return handle;
  }

  #opened(view: RootView, path: string, flags: number): Buffer {
    const writes = (flags & OPEN_MODE.WRITE) !== 0;
    const before = readBytes(view, path);
    if (before === undefined && !(writes && flags & OPEN_MODE.CREAT)) throw missing();
    if (before !== undefined && flags & OPEN_MODE.EXCL) throw new Status(STATUS_CODE.FAILURE, "Failure");
    const bytes = flags & OPEN_MODE.TRUNC ? Buffer.alloc(0) : (before ?? Buffer.alloc(0));
    if (writes) {
      requireWritable(view, path);
      writeFile(view, path, bytes);
    }
    return this.#handle({ path, bytes, writes });
  }

  #read(id: number, handle: Buffer, offset: number, length: number): void {
    const bytes = this.#of(handle).bytes.subarray(offset, offset + length);
    if (bytes.length === 0) throw new Status(STATUS_CODE.EOF, "End of file");
    this.#sftp.data(id, bytes);
  }

  #written(open: Open, offset: number, bytes: Buffer): void {
    if (!open.writes) throw new Status(STATUS_CODE.PERMISSION_DENIED, "Permission denied");
    const grown = Buffer.alloc(Math.max(open.bytes.length, offset + bytes.length));
    open.bytes.copy(grown);
    bytes.copy(grown, offset);
    open.bytes = grown;
  }

  #closed(view: RootView, handle: Buffer): void {
    const open = this.#of(handle);
    this.#open.delete(handle.readUInt32BE());
    if (open.writes) writeFile(view, open.path, open.bytes);
  }

  #listed(view: RootView, path: string): Buffer {
    if (!isFolder(view, path)) throw missing();
    return this.#handle({ path, bytes: Buffer.alloc(0), writes: false, names: [".", "..", ...namesIn(view, path)] });
  }

  #tell(id: number, view: RootView, open: Open): void {
    const names = open.names?.splice(0) ?? [];
    if (names.length === 0) throw new Status(STATUS_CODE.EOF, "End of file");
    this.#sftp.name(
      id,
      names.map((name) => this.#entry(view, name, posix.join(open.path, name))),
    );
  }

  #entry(view: RootView, name: string, path: string) {
    const folder = isFolder(view, path);
    const attrs = this.#attributes(folder ? FOLDER_MODE : FILE_MODE, readBytes(view, path));
    return { filename: name, longname: `${folder ? "drwxr-xr-x" : "-rw-r--r--"} 1 root root ${attrs.size} ${name}`, attrs };
  }

  #status(view: RootView, path: string): Attributes {
    const bytes = readBytes(view, path);
    if (bytes !== undefined) return this.#attributes(FILE_MODE, bytes);
    if (!isFolder(view, path)) throw missing();
    return this.#attributes(FOLDER_MODE, undefined);
  }

  #attributes(mode: number, bytes: Buffer | undefined): Attributes {
    const now = Math.floor(this.#lab.now() / 1000);
    return { mode, uid: 0, gid: 0, size: bytes?.length ?? 4096, atime: now, mtime: now };
  }
}

function at(path: string): string {
  return posix.resolve(HOME, path);
}

function missing(): Status {
  return new Status(STATUS_CODE.NO_SUCH_FILE, "No such file");
}

function requireWritable(view: RootView, path: string): void {
  const why = whyNotWritten(view, path);
  if (why === "No such file or directory") throw missing();
  if (why === "Permission denied") throw new Status(STATUS_CODE.PERMISSION_DENIED, why);
  if (why !== undefined) throw new Status(STATUS_CODE.FAILURE, "Failure");
}

function makeNewFolder(view: RootView, path: string): void {
  if (isFolder(view, path) || readBytes(view, path) !== undefined) throw new Status(STATUS_CODE.FAILURE, "Failure");
  if (!isFolder(view, posix.dirname(path))) throw missing();
  makeFolder(view, path);
}

function removeExisting(view: RootView, path: string): void {
  if (!removeFile(view, path)) throw missing();
}

function move(view: RootView, from: string, to: string): void {
  const bytes = readBytes(view, from);
  if (bytes === undefined) throw missing();
  requireWritable(view, to);
  writeFile(view, to, bytes);
  removeFile(view, from);
}
