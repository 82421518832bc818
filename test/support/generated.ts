import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect } from "vitest";

/** Compares a committed file with its generated content; UPDATE=1 writes it. */
export function expectGenerated(path: string, content: string): void {
  const file = resolve(import.meta.dirname, "../..", path);
  if (process.env.UPDATE) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  expect(readFileSync(file, "utf8"), `${path} is stale: run UPDATE=1 npm run check`).toBe(content);
}
