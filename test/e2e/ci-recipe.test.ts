import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT, talosmith } from "../support/child.ts";

// The shell commands of the recipes that `init --ci` writes, run one after the other as CI does, for a cluster on the lab.

const FOLDER = "environments/ours";
const VARIABLE = "PROXMOX_TOKEN";
let repository: string;
let secrets: string;
let env: Record<string, string>;

beforeAll(async () => {
  repository = mkdtempSync(join(tmpdir(), "talosmith-ci-"));
  mkdirSync(join(repository, ".git"));
  const there = async (...args: string[]) => {
    const ended = await talosmith(args, { cwd: repository });
    expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  };
  await there("lab", "start", FOLDER, "--speed", "instant");
  await there("up", FOLDER, "--yes");
  const config = join(repository, FOLDER, "config.yaml");
  const token = readFileSync(join(repository, FOLDER, ".lab/token"), "utf8").trim();
  writeFileSync(config, readFileSync(config, "utf8").replace(`\${file:.lab/token}`, `\${env:${VARIABLE}}`));
  expect(readFileSync(config, "utf8")).toContain(VARIABLE);
  for (const system of ["github", "gitlab"]) await there("init", "proxmox", FOLDER, "--ci", system);

  // The runner has a fresh checkout: what git ignores is missing.
  secrets = readFileSync(join(repository, FOLDER, "secrets.yaml")).toString("base64");
  rmSync(join(repository, FOLDER, "secrets.yaml"));
  rmSync(join(repository, FOLDER, ".talosmith"), { recursive: true });
  const bin = join(repository, "bin");
  mkdirSync(bin);
  // npm would fetch the release that is being tested here.
  for (const [name, script] of [
    ["npm", "exit 0"],
    ["talosmith", `exec ${process.execPath} ${ROOT}/talosmith "$@"`],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  env = { PATH: `${bin}:${process.env.PATH}`, NO_COLOR: "1", TALOSMITH_SECRETS: secrets, [VARIABLE]: token };
});
afterAll(async () => {
  await talosmith(["lab", "stop", FOLDER], { cwd: repository });
  rmSync(repository, { recursive: true, force: true });
});

/** A step as GitHub runs it: bash that ends at the first failure. */
function step(script: string, more: Record<string, string> = {}) {
  const ended = spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], {
    cwd: repository,
    encoding: "utf8",
    env: { ...env, ...more },
    timeout: 300_000,
  });
  return { exitCode: ended.status, output: ended.stdout + ended.stderr };
}

const read = (name: string) => parse(readFileSync(join(repository, name), "utf8"));
const changeWorkers = (from: number, to: number) => {
  const config = join(repository, FOLDER, "config.yaml");
  const text = readFileSync(config, "utf8");
  expect(text).toContain(`role: worker, count: ${from}`);
  writeFileSync(config, text.replace(`role: worker, count: ${from}`, `role: worker, count: ${to}`));
};

test("without the cluster's secrets the job fails before up could create new ones", () => {
  const steps: { name?: string; run: string }[] = read(".github/workflows/talosmith-ours.yaml").jobs.talosmith.steps;
  const prepare = steps.find(({ name }) => name === "Prepare")?.run ?? "";
  expect(step(prepare, { TALOSMITH_SECRETS: "" })).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("The secret TALOSMITH_SECRETS is not set"),
  });
});

test("a proposed change shows its plan, a merge applies it, and drift fails the nightly job", () => {
  const steps: { name?: string; run: string }[] = read(".github/workflows/talosmith-ours.yaml").jobs.talosmith.steps;
  const run = (name: string) => step(steps.find((one) => one.name === name)?.run ?? "exit 99");
  expect(run("Prepare")).toMatchObject({ exitCode: 0 });
  expect(run("Look for drift")).toMatchObject({ exitCode: 0 });
  changeWorkers(2, 3);
  expect(run("Plan")).toMatchObject({ exitCode: 0, output: expect.stringContaining("machine worker-3") });
  expect(readFileSync(join(repository, "plan.txt"), "utf8")).toContain("machine worker-3");
  expect(run("Look for drift")).toMatchObject({ exitCode: 2 });
  expect(run("Up")).toMatchObject({ exitCode: 0 });
  expect(run("Look for drift")).toMatchObject({ exitCode: 0 });
});

test("GitLab's jobs run the same commands", () => {
  const recipe = read(".gitlab/talosmith-ours.yml");
  const job = (what: string) =>
    step([...recipe[".talosmith-ours"].before_script, ...recipe[`talosmith ours ${what}`].script].join("\n"));
  expect(job("plan")).toMatchObject({ exitCode: 0, output: expect.stringContaining("No changes.") });
  expect(job("up")).toMatchObject({ exitCode: 0 });
  expect(job("drift")).toMatchObject({ exitCode: 0 });
});
