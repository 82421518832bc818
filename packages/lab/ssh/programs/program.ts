import type { Lab } from "../../kernel/kernel.ts";
import { rootView } from "../root-view.ts";
import type { RootView } from "../state.ts";

/** What a program has written when it has ended, and how it ended. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Started {
  lab: Lab;
  /** The name of the host it runs on. */
  host: string;
  /** Without the program's own name. */
  args: readonly string[];
  /** The folder it is in: absolute. */
  folder: string;
  /** The whole input, once it has ended; a program that does not read it does not wait for it. */
  stdin(): Promise<Buffer>;
  /** Runs a line on a host of the cluster, in another shell. */
  shell(host: string, commandLine: string, stdin: Started["stdin"]): Promise<Ended>;
}

export type Program = (started: Started) => Ended | Promise<Ended>;

export function printed(stdout: string): Ended {
  return { code: 0, stdout, stderr: "" };
}

export const done: Ended = printed("");

export function failed(code: number, stderr: string, stdout = ""): Ended {
  return { code, stdout, stderr };
}

/** Reads or changes the host, at one instant. */
export function look<T>({ lab, host }: Started, work: (view: RootView) => T): T {
  return lab.turn(() => work(rootView(lab, host)));
}
