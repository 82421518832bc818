import type { Command } from "commander";
import { expect, test } from "vitest";
import { expectGenerated } from "../../test/support/generated.ts";
import { program } from "./program.ts";

function visible(command: Command): Command[] {
  return command.commands
    .filter((sub) => !(sub as unknown as { _hidden: boolean })._hidden)
    .flatMap((sub) => [sub, ...visible(sub)]);
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 110 });
  command.outputHelp();
  return text.trimEnd();
}

test("docs/reference/cli.md matches --help", () => {
  const root = program();
  const all = [root, ...visible(root)];
  const sections = all.map((command) => `## ${nameOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`);
  expectGenerated(
    "docs/reference/cli.md",
    `# Commands\n\nMade from \`--help\` by a test; do not edit.\n\n${sections.join("\n")}`,
  );
});

test("every command has --help with an example", () => {
  const root = program();
  for (const command of [root, ...visible(root)]) expect(helpOf(command), nameOf(command)).toMatch(/Examples:\n {2}talosmith /);
});

test("no --help shows an empty list as a default", () => {
  const root = program();
  expect([root, ...visible(root)].filter((command) => helpOf(command).includes("[])")).map(nameOf)).toEqual([]);
});

test("--wire is listed by commands that contact the infrastructure, and accepted by all others, because hints repeat it", () => {
  const commands = visible(program()).filter((command) => command.options.some(({ long }) => long === "--json"));
  const wired = commands.filter((command) => command.options.some(({ long }) => long === "--wire"));
  expect(wired).toEqual(commands);
  const listed = commands.filter((command) => helpOf(command).includes("--wire <file>")).map(nameOf);
  expect(listed).toEqual(expect.arrayContaining(["talosmith up", "talosmith node replace", "talosmith host prepare"]));
  for (const local of ["runs", "runs show", "import", "unlock", "backup", "lab start", "demo"])
    expect(listed).not.toContain(`talosmith ${local}`);
});
