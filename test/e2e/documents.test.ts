import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/child.ts";
import { actionsIn, Reader } from "./reader.ts";

// Runs every command that a document shows, in the order of the document, and makes its edits.

const documents = () =>
  readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
const read = (document: string) => readFileSync(join(ROOT, document), "utf8");

async function asReader(speed: string, work: (reader: Reader) => Promise<void>): Promise<void> {
  const reader = new Reader(speed);
  try {
    await work(reader);
  } finally {
    await reader.close();
  }
}

/** A tried config is reverted after 3 minutes of the lab, and checked after 5 real seconds: a busy machine needs several seconds more. */
const SPEEDS: Record<string, string> = { "05-machine-configuration.md": "18" };

// Much of it is waiting for a lab, so three documents run in parallel; the longest come first.
test.concurrent.each([
  "05-machine-configuration.md",
  "01-first-cluster.md",
  "12-rehearse-before-you-touch-hardware.md",
  "09-rented-servers.md",
  "08-addons.md",
  "07-prepare-a-proxmox-host.md",
  "10-backup-and-restore.md",
])("docs/guides/%s works as written: commands, edits, exit codes, output", async (guide) => {
  const actions = actionsIn(read(`docs/guides/${guide}`));
  expect(new Set(actions.map(({ kind }) => kind))).toEqual(new Set(["command", "edit", "output"]));
  await asReader(SPEEDS[guide] ?? "100", async (reader) => {
    let last = "";
    for (const action of actions) last = await reader.follow(action, last);
  });
});

test.concurrent("every command of README.md works, one after the other", async () => {
  const commands = actionsIn(read("README.md")).flatMap((action) => (action.kind === "command" ? [action.text] : []));
  expect(commands.length).toBeGreaterThan(10);
  await asReader("100", async (reader) => {
    for (const command of commands) {
      if (command.startsWith("npm ")) continue; // This command runs this test.
      const { exitCode, output } = await reader.run(command);
      // The first plan of a new environment is not empty.
      expect(exitCode, `${command}\n${output}`).toBe(command.includes(" plan ") ? 2 : 0);
      if (command.includes(" init ")) await reader.fillIn(command.split(/\s+/).at(-1) ?? "");
    }
  });
});

/** The `--help` text of each command: a unit test checks that the page has the same texts. */
function helps(): Map<string, string> {
  const pages = read("docs/reference/cli.md").split(/^## talosmith ?/m);
  return new Map(pages.slice(1).map((page) => [page.slice(0, page.indexOf("\n")), page]));
}

test("other documents show only commands that exist", () => {
  const commands = documents().flatMap((document) =>
    actionsIn(read(document)).flatMap(({ kind, text }) => (kind === "command" && /^(\.\/)?talosmith /.test(text) ? [text] : [])),
  );
  expect(commands.length).toBeGreaterThan(10);
  const known = helps();
  for (const command of new Set(commands)) {
    const words = command.split(/\s+/).slice(1);
    const name = words.slice(0, ["lab", "host", "node"].includes(words[0] ?? "") ? 2 : 1).join(" ");
    const help = known.get(name);
    expect(help, command).toBeDefined();
    for (const flag of words.filter((word) => word.startsWith("--"))) expect(help, command).toContain(flag);
  }
});

test("every runbook is named after an error code in the source", () => {
  const source = ["src", "packages/lib"]
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map(read)
    .join("\n");
  const pages = documents().flatMap((document) => /^docs\/runbooks\/(.+)\.md$/.exec(document)?.[1] ?? []);
  const codes = pages.filter((name) => name !== "README");
  expect(codes.length).toBeGreaterThan(0);
  expect(codes.filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});

test("every page of docs/ is listed in docs/README.md", () => {
  const index = read("docs/README.md");
  const pages = documents().filter((document) => !document.startsWith("docs/adr/") && document !== "docs/README.md");
  expect(pages.filter((page) => !index.includes(`(${page.slice("docs/".length)})`))).toEqual([]);
});
