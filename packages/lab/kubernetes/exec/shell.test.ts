import { expect, test } from "vitest";
import { Files, type WrittenFiles } from "./files.ts";
import type { Inside } from "./invocation.ts";
import { runCommand } from "./shell.ts";
import { typedLines } from "./terminal.ts";

const lab = (): Inside => {
  const written: WrittenFiles = {};
  const change = (path: string, entry: WrittenFiles[string]) => {
    written[path] = entry;
  };
  return {
    files: new Files({ "/etc/hostname": "box\n", "/config/a": "A\n" }, ["/config"], { written, change }),
    hostname: "box",
    user: 0,
    tools: [],
    runTool: async () => 0,
    sleep: async () => {},
    now: () => 0,
  };
};

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function run(argv: readonly string[], { inside = lab(), input = "", typed = false } = {}) {
  const said = { out: "", err: "" };
  const out = (content: string | Uint8Array) => {
    said.out += Buffer.from(content).toString("utf8");
  };
  const err = (content: string | Uint8Array) => {
    said.err += Buffer.from(content).toString("utf8");
  };
  const stdin = once(input);
  const lines = typed ? typedLines(stdin, out) : undefined;
  const code = await runCommand(argv, { inside, env: { A: "b c" }, folder: "/", stdin, out, err }, lines);
  return { code, ...said };
}

const script = (text: string, more = {}) => run(["sh", "-c", text], more);

test.each([
  ["echo one; echo two", "one\ntwo\n", 0],
  ["false && echo no || echo yes", "yes\n", 0],
  ["false && echo no | cat; echo $?", "1\n", 0],
  ["echo '$A' \"$A\" \\$A", "$A b c $A\n", 0],
  ["echo 'a;b' # and no more", "a;b\n", 0],
  ["cd /tmp && echo x > f && echo y >> f && cat f && wc -c < f", "x\ny\n4\n", 0],
  ["mkdir -p /a/b && touch /a/b/c && ls /a/b && rm -r /a && ls /a", "c\n", 1],
  ["X=1; export Y=2; echo $X$Y; exit 7; echo never", "12\n", 7],
  ["test -d /etc && [ -f /etc/hostname ] && [ a != b ] && echo yes", "yes\n", 0],
  ["cp /etc/hostname /tmp && mv /tmp/hostname /tmp/h && ls /tmp && cat /tmp/h", "h\nbox\n", 0],
])("sh -c %j", async (text, out, code) => {
  expect(await script(text)).toMatchObject({ out, code });
});

test("a shell without a script reads its input", async () => {
  expect((await run(["sh"], { input: "cd /etc\npwd\n" })).out).toBe("/etc\n");
});

test("a terminal echoes input and allows corrections", async () => {
  const { out, code } = await run(["sh"], { input: "echo ax\x7fb\rexit 2\r", typed: true });
  expect(out).toBe("/ # echo ax\b \bb\nab\n/ # exit 2\n");
  expect(code).toBe(2);
});

test("files of a volume cannot be changed", async () => {
  expect((await script("echo x > /config/a")).err).toBe("sh: can't create /config/a: Read-only file system\n");
});
