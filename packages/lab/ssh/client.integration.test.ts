import { once } from "node:events";
import { createServer as createTls } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Secret } from "@talosmith/lib/secret.ts";
import { connectSsh, type SshConnection, type SshTarget } from "@talosmith/lib/ssh/ssh.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Listener, World } from "@talosmith/lib/world/world.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FaultRule, RunningLab } from "../kernel/kernel.ts";
import { createLab } from "../kernel/lab.ts";
import { proxmoxService } from "../proxmox/service.ts";
import { sshService } from "./service.ts";

const world: World = { ...realWorld(), env: () => undefined };
let lab: RunningLab;
let echo: Listener;
const opened: SshConnection[] = [];

beforeEach(async () => {
  lab = await createLab(realWorld({ timeScale: 1 }), {
    seed: "ssh",
    timeScale: "instant",
    services: [proxmoxService(), sshService()],
  });
  await lab.start();
  echo = await world.net.listen({ host: lab.address.host(11), port: 7001 }, (socket) =>
    socket.on("error", () => {}).pipe(socket),
  );
});
afterEach(async () => {
  for (const connection of opened.splice(0)) connection.close();
  await echo.close();
  await lab.close();
});

function target(changes: Partial<SshTarget> = {}): SshTarget {
  const { host = "", port, user = "", key = "", fingerprint = "" } = lab.published().ssh ?? {};
  return { host, port: Number(port), user, key: new Secret(key), hostKey: fingerprint, ...changes };
}

async function connected(changes: Partial<SshTarget> = {}, inWorld: World = world): Promise<SshConnection> {
  const connection = await connectSsh(inWorld, target(changes));
  opened.push(connection);
  return connection;
}

async function said(connection: SshConnection, words: string): Promise<string> {
  const stream = await connection.forward(lab.address.host(11), 7001);
  stream.end(words);
  return text(stream);
}

test("what is sent through a forward comes back, to the last byte of many", async () => {
  const connection = await connected();
  const many = "0123456789abcdef".repeat(256 * 1024);
  expect(await said(connection, many)).toBe(many);
});

test("a server whose name comes byte by byte is understood", async () => {
  const { host, port } = target();
  const slow = await world.net.listen({ host: lab.address.host(12), port: 0 }, async (socket) => {
    const behind = await world.net.dial({ host, port });
    for (const one of [socket, behind]) one.on("error", () => {}).on("close", () => (one === socket ? behind : socket).destroy());
    const [name] = (await once(behind, "data")) as [Buffer];
    behind.pause();
    for (const byte of name) {
      socket.setNoDelay(true).write(Buffer.of(byte));
      await world.clock.sleep(1);
    }
    behind.pipe(socket).pipe(behind);
  });
  const connection = await connected({ host: slow.host, port: slow.port });
  expect(await said(connection, "here")).toBe("here");
  connection.close();
  await slow.close();
});

test("many forwards go through one login", async () => {
  const connection = await connected();
  const words = Array.from({ length: 40 }, (_, n) => `word ${n}`);
  expect(await Promise.all(words.map((word) => said(connection, word)))).toEqual(words);
});

test("TLS is spoken through a forward, and the certificate is judged by the address that was asked for", async () => {
  const { publicKey, privateKey } = await world.keys.p256();
  const name = lab.address.host(12);
  const certificate = createCertificate({
    subject: { commonName: "x" },
    publicKey,
    issuer: { key: privateKey },
    serial: world.random.bytes(16),
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 600_000),
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { ip: [name], dns: [] },
  });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const server = createTls({ cert: certificate, key }, (_, response) => response.end("hello"));
  await new Promise<void>((listening) => server.listen(0, name, listening));
  const { port } = server.address() as AddressInfo;
  const connection = await connected();
  const dial = async (host: string) =>
    world.net.dial({ host, port, over: await connection.forward(name, port), tls: { trust: { by: "ca", pem: certificate } } });
  const socket = await dial(name);
  socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  expect(await text(socket)).toContain("hello");
  await expect(dial(lab.address.host(13))).rejects.toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  await new Promise((closed) => server.close(closed));
});

test("a host with another key than the pinned one is sent nothing", async () => {
  const login = connectSsh(world, target({ hostKey: "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }));
  await expect(login).rejects.toMatchObject({
    kind: "remote",
    code: "SSH_HOST_KEY",
    detail: expect.stringContaining(target().hostKey ?? "?"),
  });
});

test("an unknown host is refused with the line that would make it known", async () => {
  const { hostKey, ...unpinned } = target();
  await expect(connectSsh(world, unpinned)).rejects.toMatchObject({
    kind: "user",
    code: "SSH_HOST_UNKNOWN",
    hint: expect.stringContaining(`network.ssh.hostKey: "${hostKey}"`),
  });
});

test("where the config may let us believe the first key, the hint says so; elsewhere it does not", async () => {
  const { hostKey, ...unpinned } = target();
  const hint = (login: SshTarget) => connectSsh(world, login).catch(({ hint }) => hint as string);
  expect(await hint({ ...unpinned, firstKey: false })).toContain("hostKey: first");
  expect(await hint(unpinned)).not.toContain("hostKey: first");
});

test("a host that the person's known_hosts knows is trusted without a pin", async () => {
  const { hostKey, ...unpinned } = target();
  const line = `[${unpinned.host}]:2222 ${lab.published().ssh?.hostKey}\n`;
  const connection = await connectSsh(withHome({ ".ssh/known_hosts": line }), unpinned);
  opened.push(connection);
  expect(await said(connection, "hello")).toBe("hello");
});

test("a host whose key in known_hosts is another is refused", async () => {
  const { hostKey, ...unpinned } = target();
  const other = lab.state<{ hosts: { hostKey: { publicKey: string } }[] }>("ssh").hosts[1]?.hostKey.publicKey;
  const login = connectSsh(withHome({ ".ssh/known_hosts": `[${unpinned.host}]:2222 ${other}\n` }), unpinned);
  await expect(login).rejects.toMatchObject({ code: "SSH_HOST_KEY" });
});

test("a key the host does not know is a user error that says what was tried", async () => {
  const key = lab.state<{ hosts: { hostKey: { privateKey: string } }[] }>("ssh").hosts[0]?.hostKey.privateKey ?? "";
  await expect(connectSsh(world, target({ key: new Secret(key) }))).rejects.toMatchObject({
    kind: "user",
    code: "SSH_AUTH",
    detail: "the key in network.ssh.key was refused",
    hint: expect.stringContaining("ssh -p 2222 root@"),
  });
});

test("without a configured key the usual files are tried, and what cannot be read is said", async () => {
  const { key, ...keyless } = target();
  const home = withHome({ ".ssh/id_ecdsa": "nonsense", ".ssh/id_rsa": key?.reveal() ?? "" });
  opened.push(await connectSsh(home, keyless));
  await expect(connectSsh(withHome({ ".ssh/id_ecdsa": "nonsense" }), keyless)).rejects.toMatchObject({
    code: "SSH_AUTH",
    detail: expect.stringContaining("id_ecdsa has an unknown format"),
  });
});

test("only root may log in", async () => {
  await expect(connectSsh(world, target({ user: "somebody" }))).rejects.toMatchObject({ code: "SSH_AUTH" });
});

test("a port without a listener is refused as in a direct dial: transient, with its code", async () => {
  const connection = await connected();
  await expect(connection.forward(lab.address.host(11), 7002)).rejects.toMatchObject({
    code: "SSH_FORWARD",
    transient: true,
    cause: { code: "ECONNREFUSED" },
  });
  expect(await said(connection, "still there")).toBe("still there");
});

test("a host where nothing listens is unreachable, and that may pass", async () => {
  await expect(connectSsh(world, target({ port: 2223 }))).rejects.toMatchObject({ code: "SSH_UNREACHABLE", transient: true });
});

test("what the host does not forward is not tried again", async () => {
  const connection = await connected();
  await expect(connection.forward("127.0.0.1", 22)).rejects.toMatchObject({ code: "SSH_FORWARD_PROHIBITED", transient: false });
});

test.each<FaultRule["fault"]>([{ kind: "cut-before" }, { kind: "cut-after" }])(
  "a connection cut in the middle of a forward is made anew, once: $kind",
  async (fault) => {
    const connection = await connected();
    lab.setFaults([{ site: "direct-tcpip", occurrence: 1, fault }]);
    expect(await said(connection, "hello")).toBe("hello");
    lab.setFaults([{ site: "direct-tcpip", fault }]);
    await expect(said(connection, "hello")).rejects.toMatchObject({ code: "SSH_FORWARD", transient: true });
    lab.setFaults([]);
    expect(await said(connection, "again")).toBe("again");
  },
);

test("an aborted call ends at once", async () => {
  const connection = await connected();
  lab.setFaults([{ site: "direct-tcpip", fault: { kind: "delay", ms: 3_600_000 } }]);
  const stop = new AbortController();
  const forward = connection.forward(lab.address.host(11), 7001, stop.signal);
  stop.abort(new Error("enough"));
  await expect(forward).rejects.toThrow("enough");
});

test("after close nothing is forwarded any more, and what was open is ended", async () => {
  const connection = await connected();
  const stream = await connection.forward(lab.address.host(11), 7001);
  stream.on("error", () => {});
  const over = new Promise((closed) => stream.once("close", closed).resume());
  connection.close();
  await over;
  await expect(connection.forward(lab.address.host(11), 7001)).rejects.toThrow("closed");
});

function withHome(files: Record<string, string>): World {
  return {
    ...world,
    env: (name) => (name === "HOME" ? "/home/somebody" : undefined),
    files: {
      ...world.files,
      read: (path) => {
        const content = files[path.replace("/home/somebody/", "")];
        return content === undefined ? undefined : Buffer.from(content);
      },
    },
  };
}

test("a command's exit code, its two outputs and its input go their own ways", async () => {
  const connection = await connected();
  expect(await connection.execute("hostname")).toEqual({ code: 0, stdout: "pve1\n", stderr: "" });
  expect(await connection.execute("cat /missing; cat", { stdin: "from here\n" })).toEqual({
    code: 0,
    stdout: "from here\n",
    stderr: "cat: /missing: No such file or directory\n",
  });
  expect(await connection.execute("exit 3")).toMatchObject({ code: 3 });
});

async function manyAtOnce(connection: SshConnection): Promise<void> {
  const words = Array.from({ length: 20 }, (_, n) => `word ${n}`);
  const answers = await Promise.all(words.map((word) => connection.execute(`echo '${word}'`)));
  expect(answers.map(({ stdout }) => stdout.trim())).toEqual(words);
}

const settings = () => lab.state<{ maxSessions?: number }>("ssh");

test("more commands at once than a server runs for one connection each get their own answer", async () => {
  await manyAtOnce(await connected());
});

test.each([1, 3])("a server that runs only %i at a time gets the others one after another, and each once", async (most) => {
  settings().maxSessions = most;
  await manyAtOnce(await connected());
  expect(lab.recorder.calls().filter(({ site }) => site === "exec")).toHaveLength(20);
});

test("a command that was refused a session is run when another one has ended, however long that takes", async () => {
  settings().maxSessions = 1;
  const connection = await connected({}, { ...world, clock: { ...world.clock, sleep: neverSlept } });
  const first = pausedSource();
  const long = connection.stream("cat", { source: first.source });
  await first.asked;
  const next = connection.execute("echo next");
  first.end();
  expect(await long).toMatchObject({ code: 0 });
  expect(await next).toMatchObject({ stdout: "next\n" });
});

test("a server that opens no session at all says so, and the login stays", async () => {
  settings().maxSessions = 0;
  const connection = await connected({}, { ...world, clock: { ...world.clock, sleep: async () => {} } });
  await expect(connection.execute("true")).rejects.toMatchObject({
    code: "SSH_SESSION_REFUSED",
    hint: expect.stringContaining("MaxSessions"),
  });
  expect(await said(connection, "forwards still go")).toBe("forwards still go");
});

const neverSlept = () => Promise.reject(new Error("a pause, although another command runs"));

/** Input that ends on request; `asked` resolves when the command reads it. */
function pausedSource() {
  const ending = new AbortController();
  const asking = new AbortController();
  const ended = once(ending.signal, "abort");
  async function* source(): AsyncGenerator<Uint8Array> {
    asking.abort();
    yield Buffer.from("x");
    await ended;
  }
  return { source: source(), asked: once(asking.signal, "abort"), end: () => ending.abort() };
}

test("a command whose answer is lost says so, and the next one is run through a new login", async () => {
  const connection = await connected();
  lab.setFaults([{ service: "ssh", site: "exec", occurrence: 1, fault: { kind: "cut-after" } }]);
  await expect(connection.execute("echo made > /root/f")).rejects.toMatchObject({ code: "SSH_COMMAND_LOST", transient: true });
  expect(await connection.execute("cat /root/f")).toMatchObject({ stdout: "made\n" });
});

test("what is wrong with a key names the section of the config that says how to log in", async () => {
  const other = await realWorld().keys.ed25519();
  const key = new Secret(other.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  await expect(connected({ key, section: "proxmox.ssh" })).rejects.toMatchObject({
    message: expect.stringContaining("proxmox.ssh.key"),
  });
});
