import { expect, test } from "vitest";
import { talosmith } from "../support/child.ts";

test("help shows what --help shows, also for a command of a group", async () => {
  for (const words of [[], ["up"], ["node", "replace"], ["runs", "show"]]) {
    const [help, flag] = await Promise.all([talosmith(["help", ...words]), talosmith([...words, "--help"])]);
    expect(help.stdout).toBe(flag.stdout);
    expect(help).toMatchObject({ exitCode: 0 });
  }
});

test("help names the command that was most likely meant", async () => {
  const asked = (...words: string[]) => talosmith(["help", ...words]);
  expect(await asked("statsu")).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: 'error: there is no command "statsu"; did you mean status?\n(add --help for usage)\n',
  });
  expect((await asked("node", "replce")).stderr).toContain('no command "node replce"; did you mean node replace?');
  expect((await asked("runs", "zzzzz")).stderr).toContain('no command "runs zzzzz"; the commands are show');
  expect((await asked("up", "now")).stderr).toContain('no command "up now"; up has no commands of its own');
});

test("an option that may be repeated has no default in --help", async () => {
  const { stdout } = await talosmith(["up", "--help"]);
  expect(stdout).toContain("--allow-remove <node>");
  expect(stdout).not.toContain("default");
});
