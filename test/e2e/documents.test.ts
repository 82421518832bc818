import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import * as https from "node:https";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { applyPatch } from "../mutants/apply-patch.ts";
import { ROOT, talosmith } from "../support/child.ts";

// Every command that a document shows is run here, in the order of the document; so are the edits it asks for.

/** A command to type (and how it must end), an edit to make (diff), or what is to be seen after the last command (text). */
interface Action {
  kind: "command" | "edit" | "output";
  text: string;
  exit: number;
}

/** Other programs, kubectl among them, may not be there. */
const TYPED = /^(\.\/talosmith|talosmith|npm|curl) /;

function actionsIn(markdown: string): Action[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, language = "", body = ""]): Action[] => {
    if (!["", "sh", "console", "diff", "text"].includes(language)) return [];
    if (language === "diff") return [{ kind: "edit", text: body, exit: 0 }];
    if (language === "text") return [{ kind: "output", text: body.trimEnd(), exit: 0 }];
    const lines = body.replaceAll(/\\\n\s*/g, "").split("\n");
    return lines.map(commandOf).filter(({ text }) => TYPED.test(text));
  });
}

/** "command    # exit 2: why" */
function commandOf(line: string): Action {
  const [text = "", remark = ""] = line.split(/\s+#\s*/);
  return { kind: "command", text: text.trim(), exit: Number(/^exit (\d+)/.exec(remark)?.[1] ?? 0) };
}

const DEMO = "environments/demo";
const RENTED = "environments/rented";
/** The lab that plays the reader's own Proxmox. */
const PROVIDER = "environments/their-proxmox";

let home: string;
/** What every command gets once the reader has a Proxmox: where it really is, and the token. */
let theirs: { args: string[]; env: Record<string, string> };
/** Of the lab. */
let speed: string;

/** What a fresh clone has for a person to type in. */
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "talosmith-docs-"));
  theirs = { args: [], env: {} };
  speed = "100";
  symlinkSync(join(ROOT, "talosmith"), join(home, "talosmith"));
  for (const name of readdirSync(join(ROOT, "environments")).filter((one) => /-example$|^README\.md$/.test(one)))
    cpSync(join(ROOT, "environments", name), join(home, "environments", name), { recursive: true });
});

afterEach(async () => {
  for (const folder of [DEMO, RENTED, PROVIDER]) await talosmith(["lab", "stop", folder], { cwd: home });
  rmSync(home, { recursive: true });
});

const documents = () =>
  readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
const read = (document: string) => readFileSync(join(ROOT, document), "utf8");
const labFile = (folder: string, name: string) => readFileSync(join(home, folder, ".lab", name), "utf8").trim();

/** Runs a command as it is written, except that nobody is there to answer, and that readers have more time than tests. */
async function run(command: string): Promise<{ exitCode: number | null; output: string }> {
  const [, ...args] = command.split(/\s+/);
  if (args[0] === "down") args.push("--yes");
  if (args[0] === "demo" || args.slice(0, 2).join(" ") === "lab start") args.push("--speed", speed);
  const ended = await talosmith([...args, ...theirs.args], { cwd: home, env: theirs.env });
  return { exitCode: ended.exitCode, output: ended.stdout + ended.stderr };
}

/** `init` has left blanks in the config. Here they are filled in, and a lab takes the place of the Proxmox they speak of. */
async function fillIn(folder: string): Promise<void> {
  const url = "https://192.168.122.70:8006";
  const lab = ["--speed", "100", "--idle", "5", "--as", new URL(url).hostname, "--network", "10.10.0.0/24"];
  const started = await talosmith(["lab", "start", PROVIDER, ...lab], { cwd: home });
  expect(started.exitCode, started.stderr).toBe(0);
  const config = join(home, folder, "config.yaml");
  const filled = readFileSync(config, "utf8")
    .replace("url: REPLACE_ME", `url: ${url}`)
    .replace('fingerprint: "REPLACE_ME"', `fingerprint: "${labFile(PROVIDER, "fingerprint")}"`)
    .replace("hosts: [REPLACE_ME]", "hosts: [pve1, pve2, pve3]");
  writeFileSync(config, filled);
  theirs = { args: ["--wire", `${PROVIDER}/.lab/wire.yaml`], env: { PROXMOX_TOKEN: labFile(PROVIDER, "token") } };
}

test("every command of README.md works, one after the other", { timeout: 300_000 }, async () => {
  const commands = actionsIn(read("README.md")).flatMap((action) => (action.kind === "command" ? [action.text] : []));
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    if (command.startsWith("npm ")) continue; // that is what runs this test
    const { exitCode, output } = await run(command);
    // The first plan of a new environment is everything there is.
    expect(exitCode, `${command}\n${output}`).toBe(command.includes(" plan ") ? 2 : 0);
    if (command.includes(" init ")) await fillIn(command.split(/\s+/).at(-1) ?? "");
  }
});

/** What differs from one reader to the next: addresses, ids, times. */
function essence(text: string): string {
  return text
    .replaceAll(/127\.80\.\d+\./g, "127.80.1.")
    .replaceAll(/VM \d+/g, "VM N")
    .replaceAll(/ {2,}\d+ calls, [\d.]+ s/g, "")
    .trimEnd();
}

/** The call that a curl line makes, with curl, or where there is none with Node. */
async function curl(line: string): Promise<string> {
  const filled = line.replaceAll(/\$\(cat (\S+)\)/g, (_, path: string) => readFileSync(join(home, path), "utf8").trim());
  const words = [...filled.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "").slice(1);
  const found = spawnSync("curl", [...words, "--fail"], { encoding: "utf8" });
  if (found.error === undefined) {
    expect(found.status, found.stdout + found.stderr).toBe(0);
    return found.stdout;
  }
  const all = (option: string) => words.filter((_, at) => words[at - 1] === option);
  const [name = "", value = ""] = all("--header")[0]?.split(/: (.*)/) ?? [];
  return new Promise((done, failed) => {
    const request = https.request(words.at(-1) ?? "", {
      method: all("--request")[0] ?? "GET",
      headers: { [name]: value, "content-type": "application/x-www-form-urlencoded" },
      rejectUnauthorized: false,
    });
    request.on("response", ({ statusCode, statusMessage }) => {
      if (statusCode === 200) done("");
      else failed(new Error(`${statusCode} ${statusMessage}`));
      request.destroy();
    });
    request.on("error", failed);
    request.end(all("--data").join("&"));
  });
}

async function vmidOf(node: string): Promise<string> {
  const { output } = await run(`talosmith status ${DEMO} --json`);
  const rows = JSON.parse(output).result.rows as { name: string; vmid: number }[];
  return String(rows.find(({ name }) => name === node)?.vmid);
}

async function follow(action: Action, last: string): Promise<string> {
  if (action.kind === "edit") {
    const folder = [DEMO, RENTED].find((one) => existsSync(join(home, one, ".lab"))) ?? "";
    applyPatch(action.text.replaceAll("127.80.1.", `${labFile(folder, "block")}.`), home);
    return last;
  }
  if (action.kind === "output") {
    const seen = last.split("\n").map(essence);
    for (const line of action.text.split("\n")) expect(seen, `${line}\nis not in\n${last}`).toContain(essence(line));
    return last;
  }
  if (action.text.startsWith("curl ")) return curl(action.text.replace("VMID", await vmidOf("worker-1")));
  const { exitCode, output } = await run(action.text);
  expect(exitCode, `${action.text}\n${output}`).toBe(action.exit);
  return output;
}

test.each([
  "01-first-cluster.md",
  "05-what-nodes-are-told.md",
  "07-prepare-a-proxmox-host.md",
  "08-addons.md",
  "09-rented-servers.md",
  "10-backup-and-restore.md",
])(
  "docs/guides/%s works as it is written: commands, edits, exit codes, what is seen",
  {
    timeout: 300_000,
  },
  async (guide) => {
    // A config that is on trial must not be taken back before a busy machine has looked at it.
    if (guide.startsWith("05")) speed = "30";
    const actions = actionsIn(read(`docs/guides/${guide}`));
    expect(new Set(actions.map(({ kind }) => kind))).toEqual(new Set(["command", "edit", "output"]));
    let last = "";
    for (const action of actions) last = await follow(action, last);
  },
);

/** What `--help` says of each command: a unit test sees to it that the page says the same. */
function helps(): Map<string, string> {
  const pages = read("docs/reference/cli.md").split(/^## talosmith ?/m);
  return new Map(pages.slice(1).map((page) => [page.slice(0, page.indexOf("\n")), page]));
}

test("other documents show only commands that exist", () => {
  const commands = documents().flatMap((document) =>
    actionsIn(read(document)).flatMap(({ kind, text }) => (kind === "command" && /^(\.\/)?talosmith /.test(text) ? [text] : [])),
  );
  expect(commands.length).toBeGreaterThan(10);
  const known = helps();
  for (const command of new Set(commands)) {
    const words = command.split(/\s+/).slice(1);
    const name = words.slice(0, ["lab", "host"].includes(words[0] ?? "") ? 2 : 1).join(" ");
    const help = known.get(name);
    expect(help, command).toBeDefined();
    for (const flag of words.filter((word) => word.startsWith("--"))) expect(help, command).toContain(flag);
  }
});

test("links between documents lead to files that exist", () => {
  const broken = [
    ...documents(),
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "environments/README.md",
  ].flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
      .map(([, target = ""]) => normalize(join(dirname(document), target)))
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${document}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test("every runbook is named after a code that the source has", () => {
  const source = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => read(join("src", name)))
    .join("\n");
  const pages = documents().flatMap((document) => /^docs\/runbooks\/(.+)\.md$/.exec(document)?.[1] ?? []);
  const codes = pages.filter((name) => name !== "README");
  expect(codes.length).toBeGreaterThan(0);
  expect(codes.filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});

test("every page of docs/ is named in docs/README.md", () => {
  const index = read("docs/README.md");
  const pages = documents().filter((document) => !document.startsWith("docs/adr/") && document !== "docs/README.md");
  expect(pages.filter((page) => !index.includes(`(${page.slice("docs/".length)})`))).toEqual([]);
});
