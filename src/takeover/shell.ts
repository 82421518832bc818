import type { SshTarget } from "@talosmith/lib/ssh/ssh.ts";

/** A shell on a server that is to be taken over. Commands are plain POSIX sh: a rescue system may have nothing else. */
export interface Shell {
  /** The login, for messages. */
  readonly target: SshTarget;
  /** Runs a command line; a non-zero exit code is not an error. */
  run(
    command: string,
    options?: { stdin?: string; signal?: AbortSignal },
  ): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Runs a command line with a large input: `source` is read as fast as the command takes it. Its output is passed on line by line. */
  feed(command: string, source: AsyncIterable<Uint8Array>, options: Feeding): Promise<{ code: number; stderr: string }>;
  /** Runs a command line with a large output. */
  fetch: (command: string, take: (part: Uint8Array) => void, signal?: AbortSignal) => Promise<{ code: number; stderr: string }>;
  /** The server's host key: "SHA256:…". */
  hostKey(): string;
  close(): void;
}

export interface Feeding {
  /** Each line of its standard output, as it comes. */
  line?(text: string): void;
  signal?: AbortSignal;
}
