import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Secret } from "@talosmith/lib/secret.ts";
import type { SshTarget } from "@talosmith/lib/ssh/ssh.ts";

/** What rescue systems have, from much to nearly nothing; and by which way an image must get there then. */
export const KINDS = {
  whole: { way: "there", programs: undefined },
  "without zstd": { way: "there", programs: "curl xz sha256sum mkfifo mktemp tee" },
  "wget and openssl": { way: "there", programs: "wget gzip openssl mkfifo mktemp tee" },
  gzip: { way: "packed", programs: "gzip sha256sum" },
  dd: { way: "plain", programs: "" },
} as const;

export type Kind = keyof typeof KINDS;

const EVERYBODY = "id dd cat cut wc rm grep sleep sync blockdev sh";
/** Without the last one, a disk is read back past the caches of the whole system: not on a machine that others work on. */
const ALONE = "id dd rm blockdev";

export class Servers {
  readonly #folder: string;
  readonly #daemons: ChildProcess[] = [];
  readonly #ports = new Map<Kind, number>();

  constructor(folder: string) {
    this.#folder = folder;
    for (const name of ["host", "user"]) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  }

  async start(sshd: string): Promise<void> {
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const port = await freePort();
      const config = join(this.#folder, `sshd-${port}`);
      writeFileSync(config, this.#settings(kind, port));
      this.#daemons.push(spawn(sshd, ["-D", "-e", "-f", config], { stdio: "ignore" }));
      this.#ports.set(kind, port);
    }
    for (const port of this.#ports.values()) while (!(await isOpen(port))) await sleep(20);
  }

  target(kind: Kind): SshTarget {
    const [, hostKey = ""] = execFileSync("ssh-keygen", ["-lf", join(this.#folder, "host.pub")], { encoding: "utf8" }).split(" ");
    const key = new Secret(readFileSync(join(this.#folder, "user"), "utf8"));
    return { host: "127.0.0.1", port: this.#ports.get(kind) ?? 0, user: "root", key, hostKey };
  }

  stop(): void {
    for (const daemon of this.#daemons) daemon.kill();
  }

  #settings(kind: Kind, port: number): string {
    const file = (name: string) => join(this.#folder, name);
    const { programs } = KINDS[kind];
    const path = programs === undefined ? undefined : this.#having(port, programs === "" ? ALONE : `${EVERYBODY} ${programs}`);
    return [
      "ListenAddress 127.0.0.1",
      `Port ${port}`,
      `HostKey ${file("host")}`,
      `AuthorizedKeysFile ${file("user.pub")}`,
      "PidFile none",
      "UsePAM no",
      "StrictModes no",
      "PermitRootLogin prohibit-password",
      "PasswordAuthentication no",
      // What a run that was cut off leaves behind is gone with this folder.
      `SetEnv TMPDIR=${this.#folder}${path === undefined ? "" : ` PATH=${path}`}`,
      "",
    ].join("\n");
  }

  /** A folder with these programs alone. */
  #having(port: number, programs: string): string {
    const folder = join(this.#folder, `programs-${port}`);
    mkdirSync(folder);
    for (const program of programs.split(" ")) {
      const path = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).stdout.trim();
      if (path) symlinkSync(path, join(folder, program));
    }
    return folder;
  }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => done(true)).on("error", () => done(false));
    socket.once("connect", () => socket.destroy());
  });
}
