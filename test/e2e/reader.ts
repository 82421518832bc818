import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import * as https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { applyPatch } from "../mutants/apply-patch.ts";
import { ROOT, talosmith } from "../support/child.ts";

/** A command with its expected exit code, an edit (diff), or expected output of the last command (text). */
export interface Action {
  kind: "command" | "edit" | "output";
  text: string;
  exit: number;
}

/** Commands that are run; other programs, such as kubectl, may not be installed. */
const TYPED = /^(\.\/talosmith|talosmith|npm|curl) /;

export function actionsIn(markdown: string): Action[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, language = "", body = ""]): Action[] => {
    if (!["", "sh", "console", "diff", "text"].includes(language)) return [];
    if (language === "diff") return [{ kind: "edit", text: body, exit: 0 }];
    if (language === "text") return [{ kind: "output", text: body.trimEnd(), exit: 0 }];
    const lines = body.replaceAll(/\\\n\s*/g, "").split("\n");
    return lines.map(commandOf).filter(({ text }) => TYPED.test(text));
  });
}

/** Parses "command    # exit 2: why". */
function commandOf(line: string): Action {
  const [text = "", remark = ""] = line.split(/\s+#\s*/);
  return { kind: "command", text: text.trim(), exit: Number(/^exit (\d+)/.exec(remark)?.[1] ?? 0) };
}

const DEMO = "environments/demo";
const RENTED = "environments/rented";
/** The folder of the lab that stands for the reader's own Proxmox. */
const PROVIDER = "environments/their-proxmox";

/** Follows a document in a fresh clone: runs its commands, makes its edits and compares the output. */
export class Reader {
  readonly #home = mkdtempSync(join(tmpdir(), "talosmith-docs-"));
  /** Speed of the labs. */
  readonly #speed: string;
  /** Arguments and environment for every command once the reader has a Proxmox: its real address, and the token. */
  #theirs: { args: string[]; env: Record<string, string> } = { args: [], env: {} };

  constructor(speed = "100") {
    this.#speed = speed;
    symlinkSync(join(ROOT, "talosmith"), join(this.#home, "talosmith"));
    for (const name of readdirSync(join(ROOT, "environments")).filter((one) => /-example$|^README\.md$/.test(one)))
      cpSync(join(ROOT, "environments", name), join(this.#home, "environments", name), { recursive: true });
  }

  async close(): Promise<void> {
    for (const folder of [DEMO, RENTED, PROVIDER]) await talosmith(["lab", "stop", folder], { cwd: this.#home });
    rmSync(this.#home, { recursive: true });
  }

  #labFile(folder: string, name: string): string {
    return readFileSync(join(this.#home, folder, ".lab", name), "utf8").trim();
  }

  /** Runs a command as written, plus `--yes` for questions, and a faster lab. */
  async run(command: string): Promise<{ exitCode: number | null; output: string }> {
    const [, ...args] = command.split(/\s+/);
    if (args[0] === "down") args.push("--yes");
    if (args[0] === "demo" || args.slice(0, 2).join(" ") === "lab start") args.push("--speed", this.#speed);
    const ended = await talosmith([...args, ...this.#theirs.args], { cwd: this.#home, env: this.#theirs.env });
    return { exitCode: ended.exitCode, output: ended.stdout + ended.stderr };
  }

  /** Fills in the blanks that `init` left in the config, and starts a lab in place of the Proxmox it names. */
  async fillIn(folder: string): Promise<void> {
    const url = "https://192.168.122.70:8006";
    const lab = ["--speed", "100", "--idle", "5", "--as", new URL(url).hostname, "--network", "10.10.0.0/24"];
    const started = await talosmith(["lab", "start", PROVIDER, ...lab], { cwd: this.#home });
    expect(started.exitCode, started.stderr).toBe(0);
    const config = join(this.#home, folder, "config.yaml");
    const filled = readFileSync(config, "utf8")
      .replace("url: REPLACE_ME", `url: ${url}`)
      .replace('fingerprint: "REPLACE_ME"', `fingerprint: "${this.#labFile(PROVIDER, "fingerprint")}"`)
      .replace("hosts: [REPLACE_ME]", "hosts: [pve1, pve2, pve3]");
    writeFileSync(config, filled);
    this.#theirs = { args: ["--wire", `${PROVIDER}/.lab/wire.yaml`], env: { PROXMOX_TOKEN: this.#labFile(PROVIDER, "token") } };
  }

  async follow(action: Action, last: string): Promise<string> {
    if (action.kind === "edit") {
      const folder = [DEMO, RENTED].find((one) => existsSync(join(this.#home, one, ".lab")));
      const block = folder === undefined ? "127.80.1" : this.#labFile(folder, "block");
      applyPatch(action.text.replaceAll("127.80.1.", `${block}.`), this.#home);
      return last;
    }
    if (action.kind === "output") {
      const seen = last.split("\n").map(essence);
      for (const line of action.text.split("\n")) expect(seen, `${line}\nis not in\n${last}`).toContain(essence(line));
      return last;
    }
    if (action.text.startsWith("curl ")) return this.#curl(action.text.replace("VMID", await this.#vmidOf("worker-1")));
    const { exitCode, output } = await this.run(action.text);
    expect(exitCode, `${action.text}\n${output}`).toBe(action.exit);
    return output;
  }

  /** Makes the call of a curl command, with Node when curl is not installed. */
  async #curl(line: string): Promise<string> {
    const filled = line.replaceAll(/\$\(cat (\S+)\)/g, (_, path: string) => readFileSync(join(this.#home, path), "utf8").trim());
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

  async #vmidOf(node: string): Promise<string> {
    const { output } = await this.run(`talosmith status ${DEMO} --json`);
    const rows = JSON.parse(output).result.rows as { name: string; vmid: number }[];
    return String(rows.find(({ name }) => name === node)?.vmid);
  }
}

/** The text without values that differ between readers: addresses, ids, times. */
function essence(text: string): string {
  return (
    text
      .replaceAll(/127\.80\.\d+\./g, "127.80.1.")
      .replaceAll(/VM \d+/g, "VM N")
      // Suggested commands start with the path of the program, as it was started.
      .replaceAll(/\S*\/talosmith /g, "talosmith ")
      .replaceAll(/ {2,}\d+ calls, [\d.]+ s/g, "")
      .replaceAll(/ {2,}(?:\d+ min(?: \d+ s)?|[\d.]+ s)(?= {3})/g, "  TIME")
      .trimEnd()
  );
}
