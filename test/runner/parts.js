/**
 * The parts of the suite, in the order they run. A part is a vitest project or a command. `cpu` is its ceiling in seconds of processor time, about twice
 * what it uses: unlike time on a clock, it does not depend on what else the machine does.
 */
export const PARTS = [
  {
    name: "types",
    command: [
      "node_modules/typescript/bin/tsc",
      "--noEmit",
      "--incremental",
      "--tsBuildInfoFile",
      "node_modules/.cache/tsc.tsbuildinfo",
    ],
    cpu: 60,
  },
  { name: "lint", command: ["node_modules/@biomejs/biome/bin/biome", "check", "."], cpu: 40 },
  { name: "tree", project: "tree", cpu: 60 },
  { name: "unit", project: "unit", cpu: 160 },
  { name: "integration", project: "integration", cpu: 560 },
  { name: "lifecycle", project: "lifecycle", cpu: 800 },
  { name: "e2e", project: "e2e", cpu: 800 },
  { name: "mutants", project: "mutants", cpu: 400 },
  {
    name: "mutation",
    command: [
      "test/mutation/run.js",
      ...["--near", "--count", "20", "--at-least", "30"],
      // What unit tests beside the source say most about.
      ...["src/engine", "src/maintenance", "src/takeover/judge", "packages/lib/redact"].flatMap((path) => ["--only", path]),
    ],
    cpu: 60,
  },
  // Without caches it builds Go programs first, which takes most of this.
  { name: "conformance", command: ["test/conformance/run.js", "--turn"], cpu: 3000 },
];

/** What `node test/run.js NAME` runs besides single parts. */
export const GROUPS = {
  check: ["types", "lint", "unit"],
  test: PARTS.map((part) => part.name).filter((name) => name !== "conformance"),
  full: PARTS.map((part) => part.name),
};
