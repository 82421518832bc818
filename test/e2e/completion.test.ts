import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isInstalled, ROOT, talosmith } from "../support/child.ts";

// Real shells in which keys are pressed. The program is found under another name, so that nothing depends on "talosmith".

let home: string;
const PROGRAM = "tm";
const env = () => ({ ...process.env, HOME: home, PATH: `${home}${delimiter}${process.env.PATH}`, TERM: "xterm", COLUMNS: "200" });

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "talosmith-completion-"));
  symlinkSync(join(ROOT, "talosmith"), join(home, PROGRAM));
  const folder = join(home, "environments/homelab");
  mkdirSync(join(folder, ".talosmith/runs/2026-11-15T20-14-03"), { recursive: true });
  const nodes =
    "  - { name: cp-1, role: controlplane, ip: 10.10.0.11 }\n  - { name: worker, role: worker, count: 2, ip: 10.10.0.21 }\n";
  writeFileSync(join(folder, "config.yaml"), `platform: proxmox\nnodes:\n${nodes}`);
  writeFileSync(join(home, "my wire.yaml"), "");
  // Builds the program, so that no shell waits for that.
  await talosmith(["--version"]);
});
afterAll(() => rmSync(home, { recursive: true }));

/** The keys that a user types, ⇥ for the tab key, and the words that the shell makes of it. */
const TYPED = [
  ["tm ver⇥", "tm verify"],
  ["tm up ⇥", "tm up environments/homelab"],
  ["tm up env⇥ --only prov⇥", "tm up environments/homelab --only provision"],
  ["tm up env⇥ --only=prov⇥", "tm up environments/homelab --only=provision"],
  ["tm up env⇥ --allow-rem⇥worker-2⇥", "tm up environments/homelab --allow-remove worker-2"],
  ["tm node rep⇥environments/homelab cp⇥", "tm node replace environments/homelab cp-1"],
  ["tm runs show env⇥20⇥", "tm runs show environments/homelab 2026-11-15T20-14-03"],
  ["tm init met⇥", "tm init metal"],
  ["tm plan --wire my⇥", "tm plan --wire my wire.yaml"],
  ["tm explain network.gatew⇥", "tm explain network.gateway"],
  ["./tm stat⇥", "./tm status"],
] as const;

const SHELLS = [
  { shell: "bash", start: "bash --norc -i", prepare: "" },
  { shell: "zsh", start: "zsh -f -i", prepare: "bindkey -e; autoload -U compinit; compinit -u -D; " },
];

for (const { shell, start, prepare } of SHELLS)
  test.skipIf(!isInstalled(shell))(`${shell} completes with the tab key`, async () => {
    const session = openShell(start);
    try {
      await session.result(`${prepare}PS1='$ '; tm completion ${shell} > script; source ./script; echo RESULT ready`);
      // Ctrl-A: instead of the command itself, print its words.
      for (const [keys, words] of TYPED)
        expect(await session.result(`${keys.replaceAll("⇥", "\t")}\u0001echo RESULT `), keys).toBe(words);
    } finally {
      session.close();
    }
  });

/** A shell in a terminal. */
function openShell(start: string) {
  const child = spawn("script", ["-qec", start, "/dev/null"], { cwd: home, env: env(), timeout: 300_000, killSignal: "SIGKILL" });
  let output = "";
  let seen = 0;
  let look = () => {};
  const ended = new Promise<never>((_, failed) => child.once("close", () => failed(new Error(`the shell ended:\n${output}`))));
  // A shell that is closed at the end has ended, too.
  ended.catch(() => {});
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    output += part;
    look();
  });
  const results = () => [...stripVTControlCharacters(output).matchAll(/^RESULT (.*?) *\r?\n/gm)].map(([, words]) => words);
  return {
    /** Types a line and returns the words that it prints. */
    result: (line: string) =>
      Promise.race([
        ended,
        new Promise<string | undefined>((done) => {
          look = () => {
            if (results().length > seen) done(results()[seen++]);
          };
          child.stdin.write(`${line}\n`);
        }),
      ]),
    close: () => child.kill("SIGKILL"),
  };
}

test.skipIf(!isInstalled("fish"))("fish completes with descriptions", async () => {
  const { stdout } = await talosmith(["completion", "fish"]);
  writeFileSync(join(home, "script.fish"), stdout.replaceAll("-c talosmith ", `-c ${PROGRAM} `));
  const asked = [
    ["tm ver", "verify\tCheck that the cluster matches the config. Creates pods to test its network, and removes them."],
    ["tm up ", "environments/homelab"],
    ["tm up environments/homelab --only prov", "provision"],
    ["tm up environments/homelab --only=prov", "--only=provision"],
    ["tm up environments/homelab --allow-remove w", "worker-1\nworker-2"],
    ["tm runs show environments/homelab 20", "2026-11-15T20-14-03"],
    ["tm plan --wire my", "my wire.yaml"],
    ["~/tm node ", "replace\tReplace a node's machine with a new one."],
    ["./missing/tm ", ""],
    ["~/missing/tm ", ""],
  ] as const;
  for (const [line, words] of asked) {
    const command = `source script.fish; complete -C '${line}'`;
    const found = spawnSync("fish", ["--no-config", "-c", command], { cwd: home, env: env(), encoding: "utf8" });
    expect([found.stdout.trimEnd(), found.stderr], line).toEqual([words, ""]);
  }
});

test("completion answers for a broken config, an unknown command and without a word", async () => {
  for (const words of [["bash"], ["zsh", "nothing", "--of", ""], ["fish", "node", "replace", "/nowhere", ""]]) {
    expect(await talosmith(["__complete", ...words])).toMatchObject({ exitCode: 0, stderr: "" });
  }
  const refused = await talosmith(["completion", "tcsh"]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("bash, zsh, fish");
});
