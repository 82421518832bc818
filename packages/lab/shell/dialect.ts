import type { Opening } from "./process.ts";

/** How one kind of shell words what went wrong. */
export interface Dialect {
  /** $0 of a shell that is started without a script. */
  name: string;
  complaint(zero: string, line: number, what: string): string;
  notFound(program: string): string;
  notOpened(path: string, how: Opening, why: string): string;
  notEntered(path: string, why: string): string;
  /** The whole line, when the file with the script cannot be read. */
  noScript(zero: string, path: string, why: string): string;
  /** Exit codes of a redirection that fails, and of a script that cannot be read. */
  codes: { redirect: number; script: number };
}

export const MISSING = "No such file or directory";

/** bash 5.2 */
export const BASH: Dialect = {
  name: "bash",
  complaint: (zero, line, what) => `${zero}: line ${line}: ${what}`,
  notFound: (program) => `${program}: command not found`,
  notOpened: (path, _, why) => `${path}: ${why}`,
  notEntered: (path, why) => `cd: ${path}: ${why}`,
  noScript: (zero, path, why) => `${zero}: ${path}: ${why}`,
  codes: { redirect: 1, script: 127 },
};

/** dash 0.5.12: `sh` of Debian and what is made of it. */
export const DASH: Dialect = {
  name: "sh",
  complaint: (zero, line, what) => `${zero}: ${line}: ${what}`,
  notFound: (program) => `${program}: not found`,
  notOpened: (path, how, why) =>
    how === "read"
      ? `cannot open ${path}: ${why === MISSING ? "No such file" : why}`
      : `cannot create ${path}: ${why === MISSING ? "Directory nonexistent" : why}`,
  notEntered: (path) => `cd: can't cd to ${path}`,
  noScript: (zero, path, why) => `${zero}: 0: cannot open ${path}: ${why === MISSING ? "No such file" : why}`,
  codes: { redirect: 2, script: 2 },
};

/** BusyBox 1.37: `sh` of small images. */
export const ASH: Dialect = {
  name: "sh",
  complaint: (zero, _, what) => `${zero}: ${what}`,
  notFound: (program) => `${program}: not found`,
  notOpened: (path, how, why) =>
    how === "read"
      ? `can't open ${path}: ${why === MISSING ? "no such file" : why}`
      : `can't create ${path}: ${why === MISSING ? "nonexistent directory" : why}`,
  notEntered: (path, why) => `cd: can't cd to ${path}: ${why}`,
  noScript: (zero, path, why) => `${zero}: can't open '${path}': ${why}`,
  codes: { redirect: 1, script: 2 },
};
