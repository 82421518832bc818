import { basename, dirname, join, relative, resolve } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { shellWord } from "@talosmith/lib/shell-word.ts";
import type { World } from "@talosmith/lib/world/world.ts";

export const CI_SYSTEMS = ["github", "gitlab"] as const;
export type CiSystem = (typeof CI_SYSTEMS)[number];

/** Where a recipe goes, and what it is for. */
export interface CiPlace {
  system: CiSystem;
  /** Absolute. */
  path: string;
  /** Relative to the repository. */
  file: string;
  /** The environment's folder, relative to the repository. */
  folder: string;
  /** The name of the environment's folder, in letters that are valid in file and job names. */
  name: string;
}

interface Recipe {
  text: string;
  /** Remaining tasks of the user, one sentence each. */
  todo: string[];
}

type Subject = CiPlace & {
  /** Environment variables that the config refers to. */
  variables: readonly string[];
  /** The release of talosmith that CI installs. */
  version: string;
};

const RECIPES: Record<CiSystem, { file(name: string): string; make(of: Subject): Recipe }> = {
  github: { file: (name) => `.github/workflows/talosmith-${name}.yaml`, make: github },
  gitlab: { file: (name) => `.gitlab/talosmith-${name}.yml`, make: gitlab },
};

/** Finds the repository that the recipe belongs to, before anything is asked or written. */
export function ciPlace(world: World, system: CiSystem, shown: string, force: boolean): CiPlace {
  const folder = resolve(shown);
  const repository = repositoryOf(world, folder);
  if (repository === undefined)
    throw userError("NO_REPOSITORY", {
      message: `Unable to write a recipe for ${system}: ${shown} is not inside a git repository`,
      hint: "run git init in the folder that is to be the repository, or leave --ci away. Nothing was changed.",
    });
  const name = basename(folder).replaceAll(/[^\w-]+/g, "-");
  const file = RECIPES[system].file(name);
  const path = join(repository, file);
  if (world.files.stat(path) !== undefined && !force)
    throw userError("FILE_EXISTS", {
      message: `Unable to write ${path}: it exists already`,
      hint: "add --force to replace it, or leave --ci away. Nothing was changed.",
    });
  return { system, path, file, folder: relative(repository, folder) || ".", name };
}

/**
 * Writes the recipe with which CI plans each proposed change, applies merged ones and looks for drift. Returns what is left to do. `config`: the text of
 * config.yaml.
 */
export function writeCiRecipe(
  { files }: World,
  place: CiPlace,
  { config, version }: { config: string; version: string },
): string[] {
  const { text, todo } = RECIPES[place.system].make({ ...place, variables: variablesIn(config), version });
  const folder = dirname(place.path);
  for (const one of [dirname(folder), folder]) makeFolderDurably(files, one, 0o755);
  writeDurably(files, place.path, text, 0o644);
  return todo;
}

function repositoryOf(world: World, folder: string): string | undefined {
  if (world.files.stat(join(folder, ".git")) !== undefined) return folder;
  return dirname(folder) === folder ? undefined : repositoryOf(world, dirname(folder));
}

/** Those that a comment mentions are not needed. */
function variablesIn(config: string): string[] {
  const lines = config.split("\n").filter((line) => !/^\s*#/.test(line));
  return [...new Set(lines.flatMap((line) => [...line.matchAll(/\$\{env:(\w+)\}/g)].map(([, name = ""]) => name)))].sort();
}

/** The commands that both systems run. */
const plan = ({ folder }: Subject) => [
  "code=0",
  `talosmith plan ${shellWord(folder)} > plan.txt 2>&1 || code=$?`,
  "cat plan.txt",
  "# 2: there are changes to review",
  `test "$code" = 0 || test "$code" = 2`,
];

const prepare = ({ folder, version }: Subject) => [
  `npm install --global talosmith@${version}`,
  "# Without them up would create a new cluster's secrets, and lose them with this job.",
  `test -n "$TALOSMITH_SECRETS" || { echo "The secret TALOSMITH_SECRETS is not set" >&2; exit 1; }`,
  `(umask 077 && printf '%s' "$TALOSMITH_SECRETS" | base64 -d > ${shellWord(`${folder}/secrets.yaml`)})`,
];

const indented = (lines: readonly string[], by: number) => lines.map((line) => `${" ".repeat(by)}${line}`).join("\n");

function secretsTodo({ folder, variables }: Subject, where: string): string[] {
  return [
    `create the cluster from your own computer first:  talosmith up ${shellWord(folder)}`,
    `${where}: ${["TALOSMITH_SECRETS", ...variables].join(", ")}; the first is the output of:  base64 < ${shellWord(`${folder}/secrets.yaml`)} | tr -d '\\n'`,
    "the repository must be private: who can change it can change your machines, and a proposed change runs with these secrets",
  ];
}

function github(of: Subject): Recipe {
  const { folder, name, variables } = of;
  const secret = (key: string) => `${key}: \${{ secrets.${key} }}`;
  const text = `# Made by: talosmith init --ci github
# A pull request gets the plan as a comment, a merge runs up, and every night a job looks for drift (it fails when the plan is not empty).
name: talosmith ${name}
on:
  pull_request:
    paths: ["${folder}/**"]
  push:
    branches: [main]
    paths: ["${folder}/**"]
  schedule:
    - cron: "17 3 * * *"
  workflow_dispatch:
# One at a time, and none is cancelled half-way.
concurrency: talosmith-${name}
permissions:
  contents: read
  pull-requests: write
jobs:
  talosmith:
    # A runner that reaches your machines.
    runs-on: self-hosted
    env:
${indented(["TALOSMITH_SECRETS", ...variables].map(secret), 6)}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      - name: Prepare
        run: |
${indented(prepare(of), 10)}
      - name: Plan
        if: github.event_name == 'pull_request'
        run: |
${indented(plan(of), 10)}
      - name: Comment
        if: always() && github.event_name == 'pull_request'
        uses: actions/github-script@v7
        with:
          script: |
            const fs = require("fs");
            if (!fs.existsSync("plan.txt")) return;
            const body = "### Plan of ${name}\\n\`\`\`\\n" + fs.readFileSync("plan.txt", "utf8").slice(0, 60000) + "\\n\`\`\`";
            await github.rest.issues.createComment({ ...context.repo, issue_number: context.issue.number, body });
      - name: Up
        if: github.event_name == 'push' || github.event_name == 'workflow_dispatch'
        run: talosmith up ${shellWord(folder)} --yes
      - name: Look for drift
        if: github.event_name == 'schedule'
        run: talosmith plan ${shellWord(folder)}
`;
  return {
    text,
    todo: secretsTodo(of, "add these secrets to the repository (Settings, Secrets and variables, Actions)"),
  };
}

function gitlab(of: Subject): Recipe {
  const { folder, name, file } = of;
  const job = (what: string, rule: string, rest: string) => `
talosmith ${name} ${what}:
  extends: .talosmith-${name}
  rules:
    - if: ${rule}
${rest}`;
  const changes = `\n      changes: ["${folder}/**/*"]`;
  const text = `# Made by: talosmith init --ci gitlab
# A merge request shows the plan as an artifact, a merge runs up, and a scheduled pipeline looks for drift (it fails when the plan is not empty).
.talosmith-${name}:
  image: node:24
  # A runner that reaches your machines.
  tags: [self-hosted]
  # One at a time, and none is cancelled half-way.
  resource_group: talosmith-${name}
  interruptible: false
  before_script:
    - |
${indented(prepare(of), 6)}
${job(
  "plan",
  `$CI_PIPELINE_SOURCE == "merge_request_event"${changes}`,
  `  script:
    - |
${indented(plan(of), 6)}
  artifacts:
    when: always
    expose_as: plan of ${name}
    paths: [plan.txt]
`,
)}${job("up", `$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE == "push"${changes}`, `  script:\n    - talosmith up ${shellWord(folder)} --yes\n`)}${job(
  "drift",
  `$CI_PIPELINE_SOURCE == "schedule"`,
  `  script:\n    - talosmith plan ${shellWord(folder)}\n`,
)}`;
  return {
    text,
    todo: [
      `include it in .gitlab-ci.yml:  include: [{ local: ${file} }]`,
      "add a pipeline schedule for the drift check (Build, Pipeline schedules)",
      ...secretsTodo(of, "add these as masked variables (Settings, CI/CD, Variables)"),
    ],
  };
}
