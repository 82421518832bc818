import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import type { UserPatch } from "../config.ts";
import { changed, failure, load, TOKEN, type Trial } from "../testing/config-in-memory.ts";

const withPatches = (text: string) => changed({ "nodes:": `patches:\n  all:\n${text}\nnodes:` });

function patches(text: string, files: Record<string, string> = {}, env: Record<string, string> = {}): readonly UserPatch[] {
  return load(withPatches(text), { files, env: { PROXMOX_TOKEN: TOKEN, ...env } }).config.nodes[0]?.patches ?? [];
}

const told = (text: string, trial: Trial = {}) =>
  failure(withPatches(text), trial).problems.map(({ code, where, message, hint }) => [
    code,
    `${where?.file}:${where?.line}:${where?.column}`,
    message,
    hint,
  ]);

const FILE = "environments/homelab/config.yaml";

test("a patch in the file is one document, and a file may hold several", () => {
  const [inline, file] = patches("    - machine: { sysctls: { a.b: x } }\n    - p.yaml", {
    "p.yaml": "---\n# nothing\n---\nmachine: { type: worker }\n---\nkind: VolumeConfig\n",
  });
  expect(inline?.documents).toEqual([{ machine: { sysctls: { "a.b": "x" } } }]);
  expect(file?.documents).toEqual([{ machine: { type: "worker" } }, { kind: "VolumeConfig" }]);
  expect([inline?.title, file?.title]).toEqual(["patches.all[0]", "p.yaml"]);
});

test("every value of a patch has its place, in the config or in its own file", () => {
  const [inline, file] = patches("    - machine:\n        sysctls: { a.b: x }\n    - sub/p.yaml", {
    "sub/p.yaml": "machine: {}\n---\nkind: A\nlist:\n  - one\n  - two\n",
  });
  const at = (patch: UserPatch | undefined, document: number, path: (string | number)[]) => {
    const place = patch?.where(document, path);
    return `${place?.file}:${place?.line}:${place?.column}`;
  };
  expect(at(inline, 0, ["machine", "sysctls", "a.b"])).toBe(`${FILE}:17:25`);
  expect(at(inline, 0, ["machine", "kubelet", "image"])).toBe(`${FILE}:16:7`);
  expect(at(file, 1, ["list", 1])).toBe("environments/homelab/sub/p.yaml:6:5");
  expect(at(file, 1, ["gone"])).toBe("environments/homelab/sub/p.yaml:3:1");
  expect(file?.where(7, [])).toBeUndefined();
});

test("deletions in patches are kept", () => {
  expect(patches("    - cluster: { apiServer: { admissionControl: { $patch: delete } } }")[0]?.documents).toEqual([
    { cluster: { apiServer: { admissionControl: { $patch: "delete" } } } },
  ]);
});

/** The values that Go's yaml, which talosctl uses, reads from the same text: strconv with base 0, and the node's own text for strings. */
test("numbers are read as Talos reads them: a leading zero is octal, a version keeps its zeros", () => {
  expect(patches("    - { a: 0644, b: 0o644, c: 1.10, d: 0.5, e: -7, f: 12345678901234567890, g: 0x1F }")[0]?.documents).toEqual([
    { a: 0o644, b: 0o644, c: "1.10", d: 0.5, e: -7, f: "12345678901234567890", g: 31 },
  ]);
});

test("references are filled in, and their values are secrets; other expressions with a dollar are left unchanged", () => {
  const redactor = new Redactor();
  const text = withPatches(`    - { machine: { env: { KEY: "k=\${env:TS_KEY}", SHELL: "\${HOME} \${x:-y}" } } }\n    - p.yaml`);
  const files = { "p.yaml": `environment:\n  - KEY=\${env:TS_KEY}\n  - A=\${B}\n` };
  const { config } = load(text, { files, env: { PROXMOX_TOKEN: TOKEN, TS_KEY: "tskey-1234" } }, redactor);
  const [inline, file] = config.nodes[0]?.patches ?? [];
  expect(inline?.documents).toEqual([{ machine: { env: { KEY: "k=tskey-1234", SHELL: `\${HOME} \${x:-y}` } } }]);
  expect(file?.documents).toEqual([{ environment: ["KEY=tskey-1234", `A=\${B}`] }]);
  expect(redactor.text("the key is tskey-1234")).toBe("the key is (secret)");
});

test("a missing file is reported where the config names it", () => {
  expect(told("    - patches/gone.yaml")).toEqual([
    [
      "CONFIG_FILE",
      `${FILE}:16:7`,
      "patch file environments/homelab/patches/gone.yaml does not exist",
      "create it, or correct the path: it is relative to the environment's folder",
    ],
  ]);
});

test.each([
  ["a:\n  b: 1\n a: 2\n", "CONFIG_SYNTAX", "3:1"],
  ["a: 1\na: 2\n", "CONFIG_SYNTAX", "2:1"],
  ["a: 1\n---\nb: [\n", "CONFIG_SYNTAX", "3:4"],
  ["a: 1\n---\n- op: add\n  path: /machine\n", "CONFIG_VALUE", "3:1"],
  ["just text\n", "CONFIG_VALUE", "1:1"],
  ["# nothing\n", "CONFIG_FILE", "1:1"],
  ["a: [.nan]\n", "CONFIG_VALUE", "1:5"],
  [`a: \${env:GONE}\n`, "CONFIG_REFERENCE", "1:4"],
  [
    `a0: &a0 [${"x,".repeat(20)}x]\n${Array.from({ length: 8 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(20)}*a${n}]`).join("\n")}\n`,
    "CONFIG_SYNTAX",
    "1:28",
  ],
])("the problem of %j is reported in the patch's own file", (text, code, place) => {
  const problems = told("    - p.yaml", { files: { "p.yaml": text } });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.[0]).toBe(code);
  expect(problems[0]?.[1]).toContain(`environments/homelab/p.yaml:${place}`);
  expect(problems[0]?.[3]).not.toBe("");
});

test.each(["patch-cilium.yaml", "./worker.yaml"])("a patch file with the name of a generated file is refused: %s", (name) => {
  const [[code, at, message, hint] = []] = told(`    - ${name}`, {
    files: { "patch-cilium.yaml": "a: 1\n", "worker.yaml": "a: 1\n" },
  });
  expect([code, at]).toEqual(["CONFIG_VALUE", `${FILE}:16:7`]);
  expect(message).toContain("`up` writes and removes files with such names");
  expect(hint).toContain("rename the file, or move it into a folder: patches/");
});

test("a file in a folder may have any name", () => {
  expect(patches("    - patches/patch-cilium.yaml", { "patches/patch-cilium.yaml": "machine: { type: worker }\n" })).toHaveLength(
    1,
  );
});

test("the problems of a file that is named twice are reported once", () => {
  expect(told("    - gone.yaml\n    - gone.yaml")).toHaveLength(1);
});

test("a patch written as text gets a hint how to write it", () => {
  expect(told("    - |\n      machine:\n        type: worker")).toEqual([
    [
      "CONFIG_VALUE",
      `${FILE}:16:7`,
      "patches.all[0] is a text, not a patch or a file name",
      "write the patch as keys and values: remove the | (or the quotes) before it",
    ],
  ]);
});

test.each([
  ["    - 7", "16:7 patches.all[0] is not valid"],
  ["    - [a]", "16:7 patches.all[0] is not valid"],
])("%j is refused as a patch", (text, expected) => {
  expect(failure(withPatches(text)).problems.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`)).toEqual([
    expected,
  ]);
});

test("no code frame shows a secret of a patch file", () => {
  const files = { "p.yaml": "machine:\n  token: abcdef.0123456789abcdef\n  a: .nan\n" };
  expect(JSON.stringify(failure(withPatches("    - p.yaml"), { files }).report())).not.toContain("0123456789abcdef");
});
