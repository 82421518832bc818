import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Stops a hang: the lifecycle suite takes more than an hour. */
const HANG_MS = 12 * 3_600_000;

/** By the tests themselves. */
const WRITTEN = ["test/flaky.json", "test/mutants/caught.json"];

/** The hash of every file that git tracks or would add, as it is in the working tree. */
function sourceHash() {
  const list = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  const hash = createHash("sha256");
  for (const path of list.split("\n").filter((name) => name !== "" && !WRITTEN.includes(name) && existsSync(join(ROOT, name))))
    hash.update(`${path}\n`).update(readFileSync(join(ROOT, path)));
  return hash.digest("hex").slice(0, 16);
}

/**
 * Everything the suite can do (FULL=1), which takes hours. What has passed is kept by the hash of the sources, so that a run that was cut off continues
 * where it was: parts, test files, planted bugs and the lifecycle suite's pairs of call and fault.
 */
export function resumable() {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "talosmith-full", sourceHash());
  const lifecycle = join(folder, "lifecycle");
  mkdirSync(lifecycle, { recursive: true });
  const parts = join(folder, "parts");
  console.log(`what has passed is kept in ${folder}`);
  return {
    env: { FULL: "1", TEST_TALLY: join(folder, "files"), MUTANTS: "all" },
    isDone: ({ name }) => existsSync(parts) && readFileSync(parts, "utf8").split("\n").includes(name),
    done: ({ name }) => appendFileSync(parts, `${name}\n`),
    options: ({ project }) => ({
      hangMs: HANG_MS,
      ...(project === "lifecycle" && { program: [join(ROOT, "test/lifecycle/run.js"), "--full", "--tally", lifecycle] }),
    }),
  };
}
