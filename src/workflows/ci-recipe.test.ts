import { expect, test } from "vitest";
import { parse } from "yaml";
import { testWorld } from "../../test/support/test-world.ts";
import { CI_SYSTEMS, type CiSystem, ciPlace, writeCiRecipe } from "./ci-recipe.ts";

const CONFIG = `# password: \${env:COMMENTED}
proxmox:
  token: \${env:PROXMOX_TOKEN} # a comment behind a value
nodes: []
addons: { secrets: [{ data: { a: "\${env:FLUX_KEY}", b: "\${env:PROXMOX_TOKEN}" } }] }
`;

function written(system: CiSystem, folder = "/repo/envs/homelab") {
  const world = testWorld();
  world.files.makeFolder("/repo/.git", 0o755);
  const place = ciPlace(world, system, folder, false);
  const todo = writeCiRecipe(world, place, { config: CONFIG, version: "1.2.3" });
  return { place, todo, text: Buffer.from(world.files.read(place.path) ?? "").toString(), world };
}

test("GitHub gets the variables of the config as secrets, those in comments left out", () => {
  const { text, place, todo } = written("github");
  expect(place.file).toBe(".github/workflows/talosmith-homelab.yaml");
  const { jobs } = parse(text);
  const names = ["TALOSMITH_SECRETS", "FLUX_KEY", "PROXMOX_TOKEN"];
  expect(jobs.talosmith.env).toEqual(Object.fromEntries(names.map((name) => [name, `\${{ secrets.${name} }}`])));
  expect(todo.join("\n")).toContain("TALOSMITH_SECRETS, FLUX_KEY, PROXMOX_TOKEN");
});

test("GitHub runs up only for merges, and never two runs at once", () => {
  const recipe = parse(written("github").text);
  const ifOf = (name: string) => recipe.jobs.talosmith.steps.find((step: { name?: string }) => step.name === name).if;
  expect(ifOf("Plan")).toBe("github.event_name == 'pull_request'");
  expect(ifOf("Up")).not.toContain("pull_request");
  expect(ifOf("Up")).not.toContain("schedule");
  expect(recipe.concurrency).toBe("talosmith-homelab");
});

test("GitLab shows the plan of a merge request, and runs up only for pushes to the default branch", () => {
  const recipe = parse(written("gitlab").text);
  expect(recipe["talosmith homelab plan"]).toMatchObject({
    rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"', changes: ["envs/homelab/**/*"] }],
    artifacts: { expose_as: "plan of homelab", paths: ["plan.txt"] },
  });
  expect(recipe["talosmith homelab up"].rules).toEqual([
    { if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE == "push"', changes: ["envs/homelab/**/*"] },
  ]);
  expect(recipe[".talosmith-homelab"].resource_group).toBe("talosmith-homelab");
});

test.each(CI_SYSTEMS)("a folder with a space is one word in the commands for %s", (system) => {
  const { text, place } = written(system, "/repo/envs/home lab");
  expect(place.name).toBe("home-lab");
  expect(text).toContain("talosmith up 'envs/home lab' --yes");
  expect(text).not.toMatch(/talosmith (up|plan) envs\/home lab/);
});

test("outside a git repository nothing is written", () => {
  expect(() => ciPlace(testWorld(), "github", "/somewhere/homelab", false)).toThrow("is not inside a git repository");
});

test("an existing recipe is replaced only with --force", () => {
  const { world, place } = written("gitlab");
  expect(() => ciPlace(world, "gitlab", "/repo/envs/homelab", false)).toThrow("it exists already");
  expect(ciPlace(world, "gitlab", "/repo/envs/homelab", true)).toEqual(place);
});
