import { expect, test } from "vitest";
import { runCommand } from "./command.ts";
import { Files, type WrittenFiles } from "./files.ts";
import type { Inside } from "./invocation.ts";
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
  const out = (bytes: Buffer) => {
    said.out += bytes.toString("utf8");
  };
  const err = (bytes: Buffer) => {
    said.err += bytes.toString("utf8");
  };
  const stdin = once(input);
  const lines = typed ? typedLines(stdin, (text) => out(Buffer.from(text))) : undefined;
  const where = { inside, env: { A: "b c" }, alive: new AbortController().signal };
  const code = await runCommand(argv, where, { stdin, out, err }, lines);
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

// What BusyBox 1.37 does with the same lines.
test.each([
  ["for i in 1 2; do if [ $i = 2 ]; then echo two; fi; done | wc -l", "1\n", 0],
  ["echo $(cat /etc/hostname) `pwd`", "box /\n", 0],
  ["cd /etc; cat hos*; cd - > /dev/null; pwd", "box\n/\n", 0],
  ["echo 'cd /tmp; pwd; exit 3' > /tmp/s; sh /tmp/s", "/tmp\n", 3],
])("a shell in a container is a whole shell: %j", async (text, out, code) => {
  expect(await script(text)).toMatchObject({ out, code });
});

test("a builtin of shells is no command of a container", async () => {
  expect(await run(["export", "A=1"])).toMatchObject({ code: 127, err: expect.stringContaining("export: not found") });
});

test("a shell without a script reads its input", async () => {
  expect((await run(["sh"], { input: "cd /etc\npwd\n" })).out).toBe("/etc\n");
});

test("at a terminal what is typed is shown and can be corrected", async () => {
  const { out, code } = await run(["sh"], { input: "echo ax\x7fb\rexit 2\r", typed: true });
  expect(out).toBe("/ # echo ax\b \bb\nab\n/ # exit 2\n");
  expect(code).toBe(2);
});

test("a file of a volume cannot be changed", async () => {
  expect((await script("echo x > /config/a")).err).toBe("sh: can't create /config/a: Read-only file system\n");
});
