import type { SshTarget } from "@talosmith/lib/ssh/ssh.ts";

/** A shell on a server that is to be taken over. Commands are plain POSIX sh: a rescue system may have nothing else. */
export interface Shell {
  /** Who it is, for messages. */
  readonly target: SshTarget;
  /** Runs a command line; an exit code is an answer. */
  run(
    command: string,
    options?: { stdin?: string; signal?: AbortSignal },
  ): Promise<{ code: number; stdout: string; stderr: string }>;
  /** The same for bytes in large amounts: `source` is what it reads, as fast as it takes them. What it prints is handed out line by line. */
  feed(command: string, source: AsyncIterable<Uint8Array>, options: Feeding): Promise<{ code: number; stderr: string }>;
  /** The same for bytes in large amounts that come back. */
  fetch: (command: string, take: (part: Uint8Array) => void, signal?: AbortSignal) => Promise<{ code: number; stderr: string }>;
  /** "SHA256:…" of the key it showed. */
  hostKey(): string;
  close(): void;
}

export interface Feeding {
  /** Each line of its standard output, as it comes. */
  line?(text: string): void;
  signal?: AbortSignal;
}
