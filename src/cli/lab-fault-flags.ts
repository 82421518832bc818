import type { CommonFlags } from "./flags.ts";

export interface FaultFlags extends CommonFlags {
  service?: string;
  call?: string;
  resource?: string;
  command?: string;
  nth?: number;
  probability?: number;
  times?: number;
  ms?: number;
  bytes?: number;
  status?: number;
  message?: string;
  error?: string;
  host?: string;
  silent?: boolean;
}

/** The default folder of `lab start`. */
export const USUAL = "environments/lab";
