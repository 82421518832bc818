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
