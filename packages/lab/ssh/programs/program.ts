import type { Lab } from "../../kernel/kernel.ts";
import { rootView } from "../root-view.ts";
import type { RootView } from "../state.ts";

/** What a program did, when it is done. */
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
  /** All that comes in, once nothing more does: whoever does not read it does not wait for it. */
  stdin(): Promise<Buffer>;
  /** Somebody on a host of the cluster: another shell. */
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
