import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Secret } from "../secret.ts";
import { realWorld } from "../world/real.ts";
import { fingerprint } from "./host-key.ts";
import { connectSsh, type SshConnection, type SshTarget } from "./ssh.ts";

/** sshd must be started by its absolute path, and needs /run/sshd when root starts it. */
const sshd = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));
const missing = sshd === undefined || (userInfo().uid === 0 && !existsSync("/run/sshd"));

describe.skipIf(missing)("commands on OpenSSH's own server", () => {
  const world = realWorld();
  let folder: string;
  let daemon: ChildProcess;
  let connection: SshConnection;
  let target: SshTarget;

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
    target = {
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
  /** The server shows another key from now on; existing connections stay open. */
  const showsAnotherKey = async () => {
    const { hostKey, ...unpinned } = target;
    const shown = async () => {
      const seeing = await connectSsh(world, { ...unpinned, firstKey: true });
      seeing.close();
      return seeing.hostKey();
    };
    rmSync(join(folder, "host"));
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, "host")]);
    daemon.kill("SIGHUP");
    while ((await shown().catch(() => hostKey)) === hostKey) await world.clock.sleep(20);
  };
  afterAll(() => {
    connection?.close();
    daemon?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a command gets its input, and its exit code and both outputs are returned", async () => {
    expect(await connection.execute("cat; echo wrong >&2; exit 7", { stdin: "in\n" })).toEqual({
      code: 7,
      stdout: "in\n",
      stderr: "wrong\n",
    });
  });

  test("more commands at once than OpenSSH has sessions all run, through one login", async () => {
    const ran = await Promise.all(Array.from({ length: 20 }, () => connection.execute("echo $PPID")));
    expect(new Set(ran.map(({ code, stdout }) => `${code} ${stdout}`)).size).toBe(1);
  });

  test("large input and output arrive complete", async () => {
    const many = "0123456789abcdef".repeat(64 * 1024);
    const { stdout } = await connection.execute("cat", { stdin: many });
    expect(stdout === many).toBe(true);
  });

  test("a command that does not read its input still ends", async () => {
    expect(await connection.execute("true", { stdin: "x".repeat(200_000) })).toMatchObject({ code: 0 });
  });

  test("a command that is ended by a signal fails, because it has no exit code", async () => {
    await expect(connection.execute("kill -KILL $$")).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
    expect(await connection.execute("echo again")).toMatchObject({ stdout: "again\n" });
  });

  test("a stream carries megabytes in both directions, complete and with backpressure", async () => {
    const part = randomBytes(1024 * 1024);
    const came = createHash("sha256");
    const sent = createHash("sha256");
    let given = 0;
    let most = 0;
    let got = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 24; n++) {
        part.writeUInt32LE(n);
        sent.update(part);
        given += part.length;
        most = Math.max(most, given - got);
        yield Buffer.from(part);
      }
    }
    const take = (bytes: Buffer) => {
      came.update(bytes);
      got += bytes.length;
    };
    expect(await connection.stream("cat; echo over >&2; exit 3", { source: source(), take })).toEqual({
      code: 3,
      stderr: "over\n",
    });
    expect(came.digest("hex")).toBe(sent.digest("hex"));
    expect(most).toBeLessThan(16 * 1024 * 1024);
  });

  test("a command that ends early stops reading its source, and its exit code is the result", async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        given++;
        yield Buffer.alloc(256 * 1024);
      }
    }
    expect(await connection.stream("dd bs=1000 count=1 >/dev/null 2>&1; exit 5", { source: endless() })).toMatchObject({
      code: 5,
    });
    expect(given).toBeGreaterThan(0);
  });

  test("when the source fails, the call fails and the command reads the end of its input", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("half");
      throw new Error("the source went away");
    }
    const left = join(folder, "left");
    await expect(connection.stream(`cat > ${left}`, { source: broken() })).rejects.toThrow("the source went away");
    expect(await connection.execute("echo there")).toMatchObject({ stdout: "there\n" });
  });

  test("an aborted stream rejects at once", async () => {
    const stop = new AbortController();
    let parts = 0;
    const take = () => {
      if (++parts === 3) stop.abort(new Error("enough"));
    };
    const pid = join(folder, "pid");
    const command = `echo $$ > ${pid}; while :; do echo more; sleep 0.01; done`;
    await expect(connection.stream(command, { take, signal: stop.signal })).rejects.toThrow("enough");
    const isThere = async () => (await connection.execute(`kill -0 $(cat ${pid})`)).code === 0;
    while (await isThere()) await world.clock.sleep(20);
  });

  test("only the end of a long error output is kept", async () => {
    const { stderr } = await connection.stream(
      "dd if=/dev/zero bs=1000 count=100 2>/dev/null | tr '\\0' x >&2; echo last >&2",
      {},
    );
    expect(stderr.length).toBe(16 * 1024);
    expect(stderr.endsWith("xlast\n")).toBe(true);
  });

  test("a host that is trusted at first use must show the same key at every later login", async () => {
    const { hostKey = "", ...unpinned } = target;
    const first = await connectSsh({ ...world, env: () => undefined }, { ...unpinned, firstKey: true });
    try {
      expect(first.hostKey()).toBe(hostKey);
      await showsAnotherKey();
      await expect(first.execute("kill $PPID; sleep 5")).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
      await expect(first.execute("echo hello")).rejects.toMatchObject({
        code: "SSH_HOST_KEY",
        detail: expect.stringContaining(`a moment ago it showed ${hostKey}`),
      });
    } finally {
      first.close();
    }
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
