/** An open file of a process. It is shared by all descriptors that hold it, and closed when the last one is released. */
export interface OpenFile {
  /** The next bytes; none at the end. */
  read(): Promise<Buffer>;
  /** Gives back bytes that were read too far. */
  unread(bytes: Buffer): void;
  write(bytes: Buffer): Promise<void>;
  retain(): OpenFile;
  release(): void;
}

/** Ends, without a message, a process that writes to a pipe without a reader. */
export class BrokenPipe extends Error {}

/** The machine went down, or the client that had started the process is gone. */
export class Killed extends Error {}

/** "No space left on device" and the like, as strerror says them. */
export class FileProblem extends Error {}

/** The size of a pipe of Linux. */
const ROOM = 65_536;

export interface Pipe {
  reader(): OpenFile;
  writer(): OpenFile;
  /** Resolves when the other side has been opened, as the opening of a named pipe does. */
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

/** Counts its holders, and closes when the last one releases it. */
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

/** A file with known content. */
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

/** A stream that is read as it comes. */
export function fromParts(stream: AsyncIterable<Uint8Array>): OpenFile {
  const parts = stream[Symbol.asyncIterator]();
  let back = Buffer.alloc(0);
  const read = async (): Promise<Buffer> => {
    if (back.length > 0) {
      const given = back;
      back = Buffer.alloc(0);
      return given;
    }
    for (;;) {
      const { value, done } = await parts.next();
      if (done) return Buffer.alloc(0);
      if (value.length > 0) return Buffer.from(value);
    }
  };
  const unread = (bytes: Buffer) => {
    back = Buffer.concat([bytes, back]);
  };
  return counted({ read, unread, write: unwritable }, () => {});
}

/** Collects what is written. */
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
