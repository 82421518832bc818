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

/** "src/platforms/proxmox/x.ts" is in "platforms". */
export function folderOf(path: string): string {
  return path.split("/")[1] ?? "";
}

export function show(violations: readonly Violation[]): string[] {
  return violations.map(({ path, line, message }) => `${path}:${line}  ${message}`);
}
