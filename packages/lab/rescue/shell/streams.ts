/** What a number of a process stands for. It is shared by all who have it, and gone when the last of them lets go. */
export interface OpenFile {
  /** What is there next; nothing at the end. */
  read(): Promise<Buffer>;
  /** Gives back what was read too far. */
  unread(bytes: Buffer): void;
  write(bytes: Buffer): Promise<void>;
  retain(): OpenFile;
  release(): void;
}

/** Whoever writes to a pipe that nobody reads any more is ended by it, without a word. */
export class BrokenPipe extends Error {}

/** The machine went down, or whoever had started it is gone. */
export class Killed extends Error {}

/** "No space left on device" and the like, as strerror says them. */
export class FileProblem extends Error {}

/** As large as Linux makes a pipe. */
const ROOM = 65_536;

/** What is between those who write and those who read. */
export interface Pipe {
  reader(): OpenFile;
  writer(): OpenFile;
  /** Resolves when the other side is there: how a named pipe is opened. */
  met(side: "reader" | "writer"): Promise<void>;
}

export function newPipe(alive: AbortSignal): Pipe {
  const parts: Buffer[] = [];
  let size = 0;
  const ends = { reader: 0, writer: 0 };
  const ever = { reader: 0, writer: 0 };
  const waiting: (() => void)[] = [];
  const changed = () => {
    for (const wake of waiting.splice(0)) wake();
  };
  alive.addEventListener("abort", changed);
  const until = async (holds: () => boolean) => {
    while (!holds()) {
      if (alive.aborted) throw new Killed();
      await new Promise<void>((wake) => waiting.push(wake));
    }
  };
  const end = (side: "reader" | "writer", own: Pick<OpenFile, "read" | "write">): OpenFile => {
    ends[side]++;
    ever[side]++;
    changed();
    return counted(
      {
        ...own,
        unread: (bytes) => {
          parts.unshift(bytes);
          size += bytes.length;
        },
      },
      () => {
        ends[side]--;
        changed();
        if (ends.reader + ends.writer === 0) alive.removeEventListener("abort", changed);
      },
    );
  };
  return {
    reader: () =>
      end("reader", {
        read: async () => {
          await until(() => size > 0 || ends.writer === 0);
          const bytes = Buffer.concat(parts.splice(0));
          size = 0;
          changed();
          return bytes;
        },
        write: unwritable,
      }),
    writer: () =>
      end("writer", {
        read: unreadable,
        write: async (bytes) => {
          for (let at = 0; at < bytes.length; at += ROOM) {
            await until(() => size < ROOM || ends.reader === 0);
            if (ends.reader === 0) throw new BrokenPipe();
            const part = bytes.subarray(at, at + ROOM);
            parts.push(part);
            size += part.length;
            changed();
          }
        },
      }),
    met: (side) => {
      const [other, before] = side === "reader" ? (["writer", ever.writer] as const) : (["reader", ever.reader] as const);
      return until(() => ends[other] > 0 || ever[other] > before);
    },
  };
}

/** Closed when as many have let go as have taken hold. */
export function counted(file: Omit<OpenFile, "retain" | "release">, close: () => void): OpenFile {
  let holders = 1;
  const shared: OpenFile = {
    ...file,
    retain: () => {
      holders++;
      return shared;
    },
    release: () => {
      if (--holders === 0) close();
    },
  };
  return shared;
}

/** Bytes that are all there already. */
export function fromBytes(bytes: Buffer): OpenFile {
  let rest = bytes;
  return counted(
    {
      read: async () => {
        const found = rest;
        rest = Buffer.alloc(0);
        return found;
      },
      unread: (back) => {
        rest = Buffer.concat([back, rest]);
      },
      write: unwritable,
    },
    () => {},
  );
}

/** Collects what is written, and tells it once everybody is done. */
export function intoBytes(): { file: OpenFile; bytes(): Buffer } {
  const parts: Buffer[] = [];
  const write = async (bytes: Buffer) => void parts.push(Buffer.from(bytes));
  return { file: counted({ read: unreadable, unread: () => {}, write }, () => {}), bytes: () => Buffer.concat(parts) };
}

export async function readAll(file: OpenFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let part = await file.read(); part.length > 0; part = await file.read()) parts.push(part);
  return Buffer.concat(parts);
}

export async function* partsOf(file: OpenFile): AsyncGenerator<Buffer> {
  for (let part = await file.read(); part.length > 0; part = await file.read()) yield part;
}

export const unreadable = async (): Promise<Buffer> => {
  throw new FileProblem("Bad file descriptor");
};

export const unwritable = async (): Promise<void> => {
  throw new FileProblem("Bad file descriptor");
};
