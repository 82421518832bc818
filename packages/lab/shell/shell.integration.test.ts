// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are for a shell.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RescueBench } from "../rescue/testing/bench.ts";

let bench: RescueBench;
let folder: string;
beforeAll(async () => {
  bench = await RescueBench.start();
  folder = mkdtempSync(join(tmpdir(), "lab-shell-"));
});
afterAll(async () => {
  await bench.lab.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Scripts that do the same in the lab and in the shell of this computer. $T is a folder to work in. */
const SCRIPTS: readonly string[] = [
  "echo one; echo two && echo three || echo four; false || echo five; ! true; echo $?",
  'a="x y"; echo $a "$a" \'$a\' ${a}z ${b:-none} ${b:+some} ${#a} ${a%y} ${a##* }',
  'b=; echo "${b:-empty}" "${b-set}" "${c:=made}" "$c" "${d-}"',
  'set -- one \'two words\' three; echo $# "$2" $3; shift; echo "$@"; for x in "$@"; do printf \'<%s>\' "$x"; done; echo',
  'set --; for x in "$@"; do echo never; done; echo "$#"',
  "for x in a b c; do if [ $x = b ]; then continue; fi; echo $x; done | tr a-c A-C",
  "i=0; while [ $i -lt 5 ]; do i=$((i + 1)); [ $i -eq 3 ] && continue; [ $i -ge 5 ] && break; echo $i; done; echo end $i",
  "case linux-5.10 in windows*) echo no;; linux-[0-4]*|linux-5.1?) echo yes;; *) echo other;; esac",
  'case "0+0 records" in "0+0 "*) echo none ;; esac; case x in esac; echo $?',
  'f() { echo "in $1"; return 3; }; f here; echo $?; f there | cat; echo $?',
  'x=$(echo a; echo b); echo $x; echo "$x"; y=`echo \\`echo deep\\``; echo $y; z=$(false); echo $?',
  "echo $((2 + 3 * 4)) $(( (2 + 3) * 4 )) $((7 / 2)) $((7 % 4)) $((1 << 10)) $((5 > 3)) $((5 == 3 || 1)) $((0 ? 1 : 2))",
  "n=5; echo $((n * n)) $(($n + 1))",
  "cat <<END; cat <<'END'\nvalue $((1+1)) $HOME_NOT_SET.\nEND\nplain $x\nEND",
  "cat <<-END | wc -c\n\t\tindented\n\tEND\n",
  "{ echo out; echo err >&2; } 2>/dev/null; (echo sub; exit 4); echo $?; (x=1); echo ${x:-unset}",
  "{ { echo a; echo 'left 0' >&3; } | { cat; echo 'right 0' >&3; } >/dev/null; } 3>&1 | sort",
  "exec 3>$T/three; echo kept >&3; exec 3>&-; cat $T/three; echo more >> $T/three; wc -l < $T/three",
  'echo a b c | { read first rest; echo "$rest/$first"; }; printf \'l1\\nl2\\n\' | while read -r line; do echo "<$line>"; done',
  "printf '1\\n2\\n3\\n' | { read a; cat; }",
  'IFS=: read a b c <<E\nx:y:z\nE\necho $a-$b-$c; echo "$IFS" | od -An -tx1',
  "printf '%s-%d\\n' a 1 b 2; printf '%05d|%-4s|%x\\n' 42 ab 255; printf '\\101\\n'",
  "set -e; false || true; if false; then :; fi; echo still; false; echo never",
  "set -u; echo ${nope-fine}",
  "sleep 0 & wait $!; echo $?; (exit 7) & wait $!; echo $?",
  "mkfifo $T/p; wc -c < $T/p > $T/n & echo 12345 > $T/p; wait; cat $T/n; rm $T/p",
  "mkfifo $T/a $T/b; wc -c < $T/a > $T/n & cat < $T/b > $T/m & printf hello | tee $T/a $T/b | cat; wait; cat $T/n $T/m; rm $T/a $T/b",
  "yes=$(head -c 4 /dev/zero | od -An -v -tx1); echo $yes; head -c 100000 /dev/zero | wc -c",
  "printf abc | dd bs=1 count=2 2>/dev/null; echo; printf abcdef | { dd bs=1 count=2 of=/dev/null 2>/dev/null; cat; }; echo",
  "printf 0123456789 > $T/f; printf XY | dd of=$T/f bs=1 seek=3 conv=notrunc 2>/dev/null; cat $T/f; echo; dd if=$T/f bs=2 skip=1 count=2 2>/dev/null; echo",
  "dd if=/dev/zero of=$T/z bs=1k count=3 2>&1 | head -2; wc -c < $T/z; dd if=/dev/null of=/dev/null 2>&1 | head -2",
  "printf '%s' abcde | dd bs=4 2>&1 >/dev/null | head -2; printf abcde | dd bs=4 iflag=fullblock 2>&1 >/dev/null | head -2",
  "printf 'b,2\\na,1\\n' | cut -d , -f 1; printf 'abcdef\\n' | cut -c 2-4; printf 'a b\\n' | cut -d ' ' -f 2",
  "printf 'one\\ntwo\\nthree\\n' > $T/l; grep -c t $T/l; grep -v one $T/l; grep -q nope $T/l; echo $?; tail -n 1 $T/l; head -n 1 $T/l; tail -n +2 $T/l; tail -c 3 $T/l",
  "printf 'aXbXX' | tr -d X; printf 'abc' | tr a-c x; printf 'aabb' | tr -s a; echo; printf 'a\\0b' | tr -d '\\000' | wc -c",
  "printf same > $T/1; printf same > $T/2; printf sane > $T/3; cmp $T/1 $T/2; echo $?; cmp -s $T/1 $T/3; echo $?",
  "[ -d $T ] && [ ! -e $T/none ] && [ -f $T/f ] && [ -n x ] && [ -z '' ] && [ 1 -lt 2 ] && test a != b && echo all",
  "command -v definitely-not-there; echo $?; command -v echo >/dev/null && echo there; nope-nope 2>/dev/null; echo $?",
  "echo 'quote '\\''inside'\\'''; echo \"a\\\"b\\$c\" a\\ b; echo *nothing-matches*; echo \"*\"",
  "cd $T; pwd; cd ../; cd - >/dev/null; pwd; sh -c pwd; sh -ec 'false; echo never'; echo $?; env A=1 sh -c 'echo $A'",
  "sh -c 'echo $0 $1 $2; exit 9' name one two; echo $?; echo 'echo piped $1' | sh -s 2>/dev/null",
  "exit_in_pipe() { exit 5; }; exit_in_pipe | cat; echo after; eval 'echo $((1+1))'; : ignored; true && exit 6; echo never",
  "x=1; x=2 true; echo $x; export x; sh -c 'echo $x'; unset x; echo ${x-gone}",
  "printf hello | sha256sum | cut -c 1-64; printf hello | md5sum | cut -d ' ' -f 1",
  "seq 3 | while read n; do echo $((n * n)); done | tail -n 1; basename /a/b.c .c; dirname /a/b",
];

describe.skipIf(spawnSync("sh", ["-c", "true"]).status !== 0)("a shell of the lab does what this computer's does", () => {
  test.each(SCRIPTS)("%s", async (script) => {
    const real = spawnSync("bash", ["-c", script], { env: { PATH: process.env.PATH, T: folder }, encoding: "utf8", input: "" });
    const ours = await bench.run(`T=/tmp\n${script}`);
    expect({ code: ours.code, stdout: ours.stdout }).toEqual({
      code: real.status,
      stdout: real.stdout.replaceAll(folder, "/tmp"),
    });
  });
});

test("a text that cannot be parsed is refused in bash's words", async () => {
  expect(await bench.run("if true; then echo")).toMatchObject({ code: 2, stderr: expect.stringContaining("syntax error") });
  expect(await bench.run("echo 'open")).toMatchObject({ code: 2, stderr: expect.stringContaining("looking for matching `''") });
  expect((await bench.run("frobnicate")).stderr).toBe("bash: line 1: frobnicate: command not found\n");
  expect((await bench.run("cat < /no/such")).stderr).toBe("bash: line 1: /no/such: No such file or directory\n");
});

test("sh complains in dash's words, which is what Debian's sh is", async () => {
  const line = "cat < /no/such; echo $?; echo x > /nowhere/f; cd /nonexist; nope; sh /no/script; echo $?";
  expect(await bench.run(`sh -c '${line}'`)).toMatchObject({
    stdout: "2\n2\n",
    stderr: [
      "sh: 1: cannot open /no/such: No such file",
      "sh: 1: cannot create /nowhere/f: Directory nonexistent",
      "sh: 1: cd: can't cd to /nonexist",
      "sh: 1: nope: not found",
      "sh: 0: cannot open /no/script: No such file\n",
    ].join("\n"),
  });
});

test("a script is read from its file, with its arguments and options", async () => {
  await bench.run("printf 'echo $0 $2; false; echo never\\n' > /tmp/script");
  expect(await bench.run("cd /tmp; sh -e script one two")).toMatchObject({ code: 1, stdout: "script two\n" });
});

test("a shell stays in the folder that it has gone to", async () => {
  expect((await bench.run("mkdir /tmp/d; cd /tmp/d; echo x > f; (cd /; pwd); pwd; ls; cat /tmp/d/f; echo f*; cd -")).stdout).toBe(
    "/\n/tmp/d\nf\nx\nf\n/root\n",
  );
});

test("a program that writes to a pipe without a reader is ended", async () => {
  expect(await bench.run("cat /dev/zero | head -c 3 | wc -c")).toMatchObject({ code: 0, stdout: "3\n" });
});

test("a loop without an end is stopped like any other program", async () => {
  expect((await bench.run("timeout 1 sh -c 'while :; do :; done'; echo $?")).stdout).toBe("124\n");
});

test("a program is stopped when its time is up, and a job when it is killed", async () => {
  expect((await bench.run("timeout 1 sleep 3600; echo $?")).stdout).toBe("124\n");
  expect((await bench.run("sleep 3600 & kill $!; wait $!; echo $?")).stdout).toBe("137\n");
});
