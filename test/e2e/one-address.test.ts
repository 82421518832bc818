import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/child.ts";

// The lab on a system whose only loopback address is 127.0.0.1, such as macOS: in a network namespace where we may make one, else other addresses
// are refused inside of each process.

const ONLY_ADDRESS = "ip link set lo up && ip addr del 127.0.0.1/8 dev lo && ip addr add 127.0.0.1/32 dev lo";
const mayMakeNamespace = spawnSync("unshare", ["-rn", "sh", "-c", ONLY_ADDRESS]).status === 0;
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

/** Runs demo, every command that it suggests, and a rehearsal, and prints each with its exit code. */
const SCRIPT = `
talosmith demo --speed 100 >demo.txt 2>&1
echo "## demo: $?"
cat demo.txt
sed -n '/^files in/,$p' demo.txt | grep -E '^  (kubectl|talosmith) ' >next.txt
mkdir environments/planned
cp -r environments/demo/config.yaml environments/demo/.lab environments/planned
echo "  talosmith rehearse environments/planned" >>next.txt
while read -r line; do
  case $line in *" down "*) line="$line --yes" ;; esac
  (eval "$line") >out.txt 2>&1 </dev/null
  echo "## $line: $?"
  cat out.txt
done <next.txt
`;

let home: string;
/** Output by command. */
const ran = new Map<string, { exitCode: number; output: string }>();

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "talosmith-one-address-"));
  writeFileSync(join(home, "script.sh"), mayMakeNamespace ? `${ONLY_ADDRESS}\n${SCRIPT}` : SCRIPT);
  const preload = `--import ${join(ROOT, "test/support/one-loopback-address.mjs")}`;
  const env = {
    ...process.env,
    NO_COLOR: "1",
    PATH: `${ROOT}:${process.env.PATH}`,
    ...(!mayMakeNamespace && { NODE_OPTIONS: preload }),
  };
  const [file = "", ...args] = [...(mayMakeNamespace ? ["unshare", "-rn"] : []), "bash", "script.sh"];
  const output = await new Promise<string>((done) => {
    execFile(file, args, { cwd: home, env, timeout: 300_000, killSignal: "SIGKILL" }, (_, stdout, stderr) =>
      done(stdout + stderr),
    );
  });
  for (const part of output.split(/^## /m).slice(1)) {
    const [, command = "", exitCode, text = ""] = /^([^\n]*): (\d+)\n(.*)$/s.exec(part) ?? [];
    ran.set(command, { exitCode: Number(exitCode), output: text });
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const WIRE = "--wire environments/demo/.lab/wire.yaml";

test("demo brings a cluster up on ports of 127.0.0.1, and says so", () => {
  const { exitCode, output } = ran.get("demo") ?? { output: "it did not run" };
  expect(exitCode, output).toBe(0);
  expect(output).toContain(
    `this system has no loopback address besides 127.0.0.1; commands reach the lab through its ports:  ${WIRE}`,
  );
  expect(output).toContain("demo is up: 1 control plane, 2 workers, all Ready");
  expect(output).toContain(`  talosmith status environments/demo ${WIRE}\n`);
});

test.each([
  ["plan", `talosmith plan environments/demo ${WIRE}`, "No changes."],
  ["verify", `talosmith verify environments/demo ${WIRE}`, "no problems"],
  ["down", `talosmith down environments/demo ${WIRE} --yes`, "demo is down: 3 machines removed"],
  ["lab stop", "talosmith lab stop environments/demo", "the lab is stopped"],
])("%s works as demo suggests it", (_, command, printed) => {
  expect(ran.get(command), [...ran.keys()].join("\n")).toEqual({ exitCode: 0, output: expect.stringContaining(printed) });
});

test("a rehearsal needs no wire file: its lab is in its own process", () => {
  const { exitCode, output } = ran.get("talosmith rehearse environments/planned") ?? { output: "it did not run" };
  expect([exitCode, output]).toEqual([0, expect.stringContaining("the rehearsal of demo passed")]);
});

test.skipIf(!hasKubectl)("kubectl works as demo suggests it", () => {
  const [[command, { exitCode, output }] = ["", { exitCode: 1, output: "it did not run" }]] = [...ran].filter(([line]) =>
    line.startsWith("kubectl "),
  );
  expect(command).toMatch(/ --server https:\/\/127\.0\.0\.1:\d+ --tls-server-name 127\.80\.\d+\.5 get nodes$/);
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^cp-1 +Ready /m)]);
});
