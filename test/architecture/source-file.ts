/** A file of the project, as text, so that a rule can be shown a file that does not exist. */
export interface SourceFile {
  /** From the root of the repository, with slashes: "src/engine/run.ts". */
  path: string;
  text: string;
}

export interface Violation {
  path: string;
  line: number;
  message: string;
}

export function isTest(path: string): boolean {
  return path.endsWith(".test.ts") || path.startsWith("test/") || path.includes("/testing/");
}

/** "src/platforms/proxmox/x.ts" is in "platforms", "packages/lab/kernel/x.ts" in "lab". */
export function folderOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** "packages/lab" for its files; undefined for the program, its tests and its benchmarks. */
export function packageOf(path: string): string | undefined {
  return /^packages\/[^/]+(?=\/)/.exec(path)?.[0];
}

/** Code that buf writes. */
export function isGenerated(path: string): boolean {
  return path.startsWith("packages/wire/gen/");
}

export function show(violations: readonly Violation[]): string[] {
  return violations.map(({ path, line, message }) => `${path}:${line}  ${message}`);
}
