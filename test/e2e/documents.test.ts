import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, talosmith } from "../support/child.ts";

// Every command that a document shows is run here, in the order of the document.

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "talosmith-docs-"));
  symlinkSync(join(ROOT, "talosmith"), join(home, "talosmith"));
  cpSync(join(ROOT, "environments"), join(home, "environments"), {
    recursive: true,
    filter: (path) => !path.includes("environments/lab"),
  });
});

afterAll(async () => {
  await run("talosmith lab stop");
  rmSync(home, { recursive: true });
});

/** Lines of the fenced blocks that a person would type. */
function commandsIn(document: string): string[] {
  const blocks = [...readFileSync(join(ROOT, document), "utf8").matchAll(/^```(?:sh|console)?\n([\s\S]*?)^```/gm)];
  const lines = blocks.flatMap(([, body]) => (body ?? "").split("\n"));
  return lines
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => /^(\.\/talosmith|talosmith|cp|npm) /.test(line));
}

async function run(command: string): Promise<{ exitCode: number | null; output: string }> {
  const [, ...args] = command.split(/\s+/);
  const ended = await talosmith(command.includes(" down ") ? [...args, "--yes"] : args, { cwd: home });
  return { exitCode: ended.exitCode, output: ended.stdout + ended.stderr };
}

/** `cp -r example own`, and then the person edits the config: here, so that it speaks of the lab. */
function copyExample(command: string): void {
  const [, , from = "", to = ""] = command.split(/\s+/);
  cpSync(join(home, from), join(home, to), { recursive: true });
  const lab = readFileSync(join(home, "environments/lab/config.yaml"), "utf8");
  writeFileSync(
    join(home, to, "config.yaml"),
    lab.replace("name: lab", "name: homelab").replaceAll("file:.lab/", "file:../lab/.lab/"),
  );
}

test("every command of README.md works, one after the other", { timeout: 180_000 }, async () => {
  const commands = commandsIn("README.md");
  expect(commands.length).toBeGreaterThan(6);
  for (const command of commands) {
    if (command.startsWith("npm ")) continue; // that is what runs this test
    if (command.startsWith("cp ")) copyExample(command);
    else {
      const { exitCode, output } = await run(command);
      expect([0, ...(command.includes(" plan ") ? [2] : [])], `${command}\n${output}`).toContain(exitCode);
    }
  }
});

test("other documents show only commands that exist", async () => {
  const documents = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  const commands = new Set(
    documents.flatMap((name) => commandsIn(join("docs", name))).filter((line) => line.includes("talosmith ")),
  );
  for (const command of commands) {
    const [, name = ""] = command.split(/\s+/);
    expect((await run(`talosmith ${name} --help`)).exitCode, command).toBe(0);
  }
});
