import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Secret } from "../secret.ts";
import { realWorld } from "../world/real.ts";
import { fingerprint } from "./host-key.ts";
import { connectSsh, type SshConnection } from "./ssh.ts";

/** It insists on being called by its whole path, and on a folder of its own when root starts it. */
const sshd = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));
const missing = sshd === undefined || (userInfo().uid === 0 && !existsSync("/run/sshd"));

describe.skipIf(missing)("commands on OpenSSH's own server", () => {
  const world = realWorld();
  let folder: string;
  let daemon: ChildProcess;
  let connection: SshConnection;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sshd-"));
    const file = (name: string) => join(folder, name);
    for (const name of ["host", "user"]) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file(name)]);
    const port = await freePort();
    const settings = [
      "UsePAM no",
      "StrictModes no",
      "PermitRootLogin prohibit-password",
      "PasswordAuthentication no",
      "PidFile none",
    ];
    const places = [
      "ListenAddress 127.0.0.1",
      `Port ${port}`,
      `HostKey ${file("host")}`,
      `AuthorizedKeysFile ${file("user.pub")}`,
    ];
    writeFileSync(file("config"), [...places, ...settings, ""].join("\n"));
    daemon = spawn(sshd as string, ["-D", "-e", "-f", file("config")], { stdio: "ignore" });
    const hostKey = fingerprint(Buffer.from(readFileSync(file("host.pub"), "utf8").split(" ")[1] ?? "", "base64"));
    const target = {
      host: "127.0.0.1",
      port,
      user: userInfo().username,
      key: new Secret(readFileSync(file("user"), "utf8")),
      hostKey,
    };
    for (let tries = 1; ; tries++) {
      try {
        connection = await connectSsh(world, target);
        return;
      } catch (error) {
        if (tries === 50) throw error;
        await world.clock.sleep(100);
      }
    }
  });
  afterAll(() => {
    connection?.close();
    daemon?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test("exit code, both outputs and the input each go their own way", async () => {
    expect(await connection.execute("cat; echo wrong >&2; exit 7", { stdin: "in\n" })).toEqual({
      code: 7,
      stdout: "in\n",
      stderr: "wrong\n",
    });
  });

  test("what is long comes whole, both ways", async () => {
    const many = "0123456789abcdef".repeat(64 * 1024);
    const { stdout } = await connection.execute("cat", { stdin: many });
    expect(stdout === many).toBe(true);
  });

  test("a command that reads nothing ends although something was sent", async () => {
    expect(await connection.execute("true", { stdin: "x".repeat(200_000) })).toMatchObject({ code: 0 });
  });

  test("a command that a signal ended has no exit code, and says so", async () => {
    await expect(connection.execute("kill -KILL $$")).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
    expect(await connection.execute("echo again")).toMatchObject({ stdout: "again\n" });
  });
});

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
