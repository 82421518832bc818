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

test("explain shows meaning, default, example and platforms of a key, and fits the terminal", async () => {
  const { stdout, exitCode } = await talosmith(["explain", "nodes.memory"], { columns: 60 });
  expect(exitCode).toBe(0);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "nodes[].memory",
    "  meaning     Memory.",
    "  value       text",
    "  default     4GiB for control planes, 2GiB for workers",
    "  platforms   proxmox",
    "  also in     defaults.all.memory,",
    "              defaults.controlplane.memory,",
    "              defaults.worker.memory",
    "  example     nodes:",
    "                - memory: 8GiB",
    "  reference   docs/reference/config.md#settings-of-a-node",
  ]);
});

test("explain lists the keys of a section, and without a key those at the top", async () => {
  expect((await talosmith(["explain", "proxmox"])).stdout).toMatch(/keys of proxmox\n {2}url +URL of the Proxmox API/);
  const { stdout } = await talosmith(["explain"]);
  expect(stdout).toMatch(/^Keys of config.yaml\n {2}platform +Platform/);
  expect(stdout).toMatch(/\n {2}verify +\S/);
});

test("explain names up to five keys for an unknown one, and answers programs in JSON", async () => {
  const asked = await Promise.all(["memroy", "name"].map((key) => talosmith(["explain", key])));
  expect(asked.map(({ exitCode }) => exitCode)).toEqual([1, 1]);
  expect(asked[0]?.stderr).toContain("did you mean nodes[].memory?");
  expect(/did you mean (.*)\?/.exec(asked[1]?.stderr ?? "")?.[1]?.split(/, | or /)).toHaveLength(5);
  const { result } = JSON.parse((await talosmith(["explain", "network.mtu", "--json"])).stdout);
  const facts = Object.fromEntries(result.facts.map(({ key, value }: { key: string; value: unknown }) => [key, value]));
  expect(facts).toMatchObject({
    key: "network.mtu",
    minimum: 576,
    maximum: 9216,
    required: false,
    example: "network:\n  mtu: 9000",
  });
});
