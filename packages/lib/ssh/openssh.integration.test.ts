import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ssh2, { type PublicKeyAuthContext } from "ssh2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TalosmithError } from "../errors.ts";
import { Secret } from "../secret.ts";
import { realWorld } from "../world/real.ts";
import type { Listener, World } from "../world/world.ts";
import { fingerprint } from "./host-key.ts";
import { connectSsh, type SshTarget } from "./ssh.ts";

/** Keys and an agent of OpenSSH, and a server that accepts them. */
const missing = spawnSync("ssh-keygen", ["-?"]).error !== undefined || spawnSync("ssh-agent", ["-?"]).error !== undefined;

describe.skipIf(missing)("OpenSSH's keys and agent", () => {
  const real = realWorld();
  let folder: string;
  let agent: ChildProcess;
  let listener: Listener;
  let users: string[] = [];

  const file = (name: string) => join(folder, name);
  const makeKey = (name: string, ...args: string[]) =>
    execFileSync("ssh-keygen", ["-q", "-C", name, "-f", file(name), ...(args.includes("-N") ? [] : ["-N", ""]), ...args]);
  const blobOf = (name: string) => Buffer.from(readFileSync(file(`${name}.pub`), "utf8").split(" ")[1] ?? "", "base64");
  const inHome = (env: Record<string, string> = {}): World => ({ ...real, env: (name) => env[name] });
  const target = (pinned = "host-ed25519"): SshTarget => ({
    host: "127.0.0.1",
    port: listener.port,
    user: "root",
    hostKey: fingerprint(blobOf(pinned)),
  });
  /** Whether the login succeeds when these keys are authorized. */
  const enters = async (world: World, to: SshTarget, ...allowed: string[]) => {
    users = allowed.map((name) => blobOf(name).toString("base64"));
    const connection = await connectSsh(world, to);
    connection.close();
    return true;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "openssh-"));
    makeKey("host-ed25519", "-t", "ed25519");
    makeKey("host-rsa", "-t", "rsa", "-b", "2048");
    makeKey("ed25519", "-t", "ed25519");
    makeKey("ecdsa", "-t", "ecdsa");
    makeKey("rsa", "-t", "rsa", "-b", "2048");
    makeKey("rsa-pem", "-t", "rsa", "-b", "2048", "-m", "PEM");
    makeKey("encrypted", "-t", "ed25519", "-N", "a passphrase");
    agent = spawn("ssh-agent", ["-D", "-a", file("agent")], { stdio: "ignore" });
    while (!existsSync(file("agent"))) await real.clock.sleep(10);
    execFileSync("ssh-add", ["-q", file("ecdsa"), file("rsa")], { env: { SSH_AUTH_SOCK: file("agent") }, stdio: "ignore" });
    const hostKeys = ["host-ed25519", "host-rsa"].map((name) => readFileSync(file(name)));
    listener = await real.net.listen({ host: "127.0.0.1", port: 0 }, (socket) => {
      const server = new ssh2.Server({ hostKeys }, (connection) => {
        connection.on("error", () => {});
        connection.on("authentication", (asked) => {
          const { key, signature, blob, hashAlgo } = asked as PublicKeyAuthContext;
          if (asked.method !== "publickey" || !users.includes(key.data.toString("base64"))) return asked.reject(["publickey"]);
          const parsed = ssh2.utils.parseKey(key.data);
          if (parsed instanceof Error) return asked.reject();
          return !signature || parsed.verify(blob ?? Buffer.alloc(0), signature, hashAlgo) ? asked.accept() : asked.reject();
        });
      });
      server.injectSocket(socket);
    });
  });
  afterAll(async () => {
    agent.kill();
    await listener.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(["ed25519", "ecdsa", "rsa", "rsa-pem"])("a given %s key logs in", async (name) => {
    const key = new Secret(readFileSync(file(name), "utf8").trim());
    expect(await enters(inHome(), { ...target(), key }, name)).toBe(true);
  });

  test("the agent's keys log in, the second as well, and no other key", async () => {
    const world = inHome({ SSH_AUTH_SOCK: file("agent") });
    expect(await enters(world, target(), "ecdsa")).toBe(true);
    expect(await enters(world, target(), "rsa")).toBe(true);
    await expect(enters(world, target(), "ed25519")).rejects.toMatchObject({ code: "SSH_AUTH" });
  });

  test("a dead agent does not keep the default key files from being tried", async () => {
    const home = file("home");
    execFileSync("mkdir", ["-p", `${home}/.ssh`]);
    execFileSync("cp", [file("ed25519"), `${home}/.ssh/id_ed25519`]);
    expect(await enters(inHome({ SSH_AUTH_SOCK: file("gone"), HOME: home }), target(), "ed25519")).toBe(true);
  });

  test("an encrypted key is refused with a hint to use the agent, and never shown", async () => {
    const text = readFileSync(file("encrypted"), "utf8");
    const error = await enters(inHome(), { ...target(), key: new Secret(text) }, "encrypted").catch((it: unknown) => it);
    expect(error).toMatchObject({ kind: "user", code: "SSH_KEY", hint: expect.stringContaining("ssh-add") });
    expect(JSON.stringify((error as TalosmithError).report())).not.toContain(text.split("\n")[1]);
  });

  test("a public key in place of a private one is refused with that reason", async () => {
    const key = new Secret(readFileSync(file("ed25519.pub"), "utf8"));
    await expect(enters(inHome(), { ...target(), key }, "ed25519")).rejects.toMatchObject({
      code: "SSH_KEY",
      message: expect.stringContaining("contains no private key"),
    });
  });

  test("any of a host's keys can be pinned", async () => {
    const key = new Secret(readFileSync(file("ed25519"), "utf8"));
    expect(await enters(inHome(), { ...target("host-rsa"), key }, "ed25519")).toBe(true);
    await expect(enters(inHome(), { ...target("ecdsa"), key }, "ed25519")).rejects.toMatchObject({
      code: "SSH_HOST_KEY",
      detail: expect.stringMatching(/ssh-ed25519.*ssh-rsa/),
    });
  });

  test("a hashed known_hosts file of ssh-keygen -H is understood", async () => {
    const home = file("hashed");
    execFileSync("mkdir", ["-p", `${home}/.ssh`]);
    const line = `[127.0.0.1]:${listener.port} ${readFileSync(file("host-rsa.pub"), "utf8")}`;
    execFileSync("sh", ["-c", 'cat > "$0"', `${home}/.ssh/known_hosts`], { input: line });
    execFileSync("ssh-keygen", ["-H", "-f", `${home}/.ssh/known_hosts`], { stdio: "ignore" });
    const { hostKey, ...unpinned } = target();
    const key = new Secret(readFileSync(file("ed25519"), "utf8"));
    expect(await enters(inHome({ HOME: home }), { ...unpinned, key }, "ed25519")).toBe(true);
  });
});
