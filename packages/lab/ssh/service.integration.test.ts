import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Listener } from "@talosmith/lib/world/world.ts";
import ssh2 from "ssh2";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunningLab } from "../kernel/kernel.ts";
import { createLab } from "../kernel/lab.ts";
import { meetsFaults } from "../kernel/testing/fault-contract.ts";
import { ran, tunnelled } from "../kernel/testing/ssh-stranger.ts";
import { proxmoxService } from "../proxmox/service.ts";
import { proxmoxState } from "../proxmox/state.ts";
import { refusals } from "./refusals.ts";
import { sshService } from "./service.ts";

const world = realWorld({ timeScale: 1 });
let lab: RunningLab;
let machine: Listener;
let seenFrom: string[] = [];

async function start(): Promise<void> {
  lab = await createLab(world, { seed: "ssh", timeScale: "instant", services: [proxmoxService(), sshService()] });
  await lab.start();
}

beforeEach(async () => {
  await start();
  seenFrom = [];
  machine = await world.net.listen({ host: lab.address.host(11), port: 7001 }, (socket) => {
    seenFrom.push(socket.remoteAddress ?? "");
    socket.on("error", () => {});
    socket.end("a machine\n");
  });
});
afterEach(async () => {
  await machine.close();
  await lab.close();
});

const published = () => lab.published().ssh as Record<string, string>;

test("it says where it is, how to know it and as whom to come", () => {
  expect(published()).toEqual({
    host: lab.address.host(1),
    port: "2222",
    user: "root",
    key: expect.stringMatching(/^-----BEGIN OPENSSH PRIVATE KEY-----\n[\s\S]+\n-----END OPENSSH PRIVATE KEY-----\n$/),
    hostKey: expect.stringMatching(/^ssh-ed25519 AAAA/),
    fingerprint: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
  });
});

test("a connection has ten sessions at a time, and the eleventh is refused as OpenSSH does", async () => {
  const { host = "", port, key = "" } = published();
  const client = new ssh2.Client();
  await new Promise((ready) =>
    client.on("ready", () => ready(undefined)).connect({ host, port: Number(port), username: "root", privateKey: key }),
  );
  const reading = () =>
    new Promise<ssh2.ClientChannel>((opened, refused) =>
      client.exec("cat", (error, channel) => (error ? refused(error) : opened(channel))),
    );
  const [first] = await Promise.all(Array.from({ length: 10 }, reading));
  await expect(reading()).rejects.toMatchObject({ reason: 2, message: expect.stringContaining("open failed") });
  await new Promise((closed) => first?.on("close", closed).resume().end());
  await reading();
  // With commands that still read, the other side may hang up first.
  client.on("error", () => {});
  await new Promise<void>((closed) => {
    client.on("close", () => closed());
    client.end();
  });
});

test("its keys are part of a snapshot", async () => {
  const before = published();
  const snapshot = lab.snapshot();
  const other = await createLab(world, { seed: "other", timeScale: "instant", services: [proxmoxService(), sshService()] });
  other.restore(snapshot);
  expect(other.published().ssh).toMatchObject({ key: before.key, fingerprint: before.fingerprint });
  await other.close();
});

test.each([
  ["root", "proxmox-lab", true],
  ["root", "proxmox-Lab", false],
  ["admin", "proxmox-lab", false],
])("%s with the password %s: %s", async (username, password, enters) => {
  const { host = "", port } = published();
  const entered = new Promise<boolean>((done) => {
    const client = new ssh2.Client();
    const end = (how: boolean) => {
      client.end();
      done(how);
    };
    client.on("ready", () => end(true)).on("error", () => end(false));
    client.connect({ host, port: Number(port), username, password, hostVerifier: () => true });
  });
  expect(await entered).toBe(enters);
});

/** The client we did not write. */
describe.skipIf(spawnSync("ssh", ["-V"]).status !== 0)("OpenSSH's client", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lab-ssh-"));
    const { host, key = "", hostKey } = published();
    writeFileSync(join(folder, "key"), key, { mode: 0o600 });
    writeFileSync(join(folder, "known_hosts"), `[${host}]:2222 ${hostKey}\n`);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const ssh = (...args: string[]) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
      const options = [
        ...["-F", "none", "-i", join(folder, "key"), "-o", `UserKnownHostsFile=${join(folder, "known_hosts")}`],
        ...["-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "LogLevel=INFO"],
      ];
      const at = ["-p", "2222", `root@${published().host}`];
      const child = execFile("ssh", [...options, ...at, ...args], { timeout: 300_000 }, (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, stdout, stderr }),
      );
      child.stdin?.end();
    });
  const through = (to: string) => ssh("-W", to);

  test("is led to a machine, from the host's own address", async () => {
    expect(await through(`${lab.address.host(11)}:7001`)).toMatchObject({ code: 0, stdout: "a machine\n" });
    expect(seenFrom).toEqual([lab.address.host(1)]);
    expect(lab.recorder.calls()).toMatchObject([
      { service: "ssh", site: "direct-tcpip", resource: `${lab.address.host(11)}:7001`, mutating: false, status: 0 },
    ]);
  });

  test("is led to the machine with the same last number when the address is not of this computer", async () => {
    expect(await through("10.10.0.11:7001")).toMatchObject({ code: 0, stdout: "a machine\n" });
  });

  test("is told why it is not: refused, prohibited, unknown", async () => {
    expect((await through(`${lab.address.host(11)}:7002`)).stderr).toContain("connect failed: Connection refused");
    expect((await through("127.0.0.1:22")).stderr).toContain("administratively prohibited: open failed");
    expect((await through("pve9:22")).stderr).toContain("connect failed: Name or service not known");
    expect(lab.recorder.calls().map(({ status }) => status)).toEqual([2, 1, 2]);
  });

  test("meets faults", async () => {
    lab.setFaults([{ service: "ssh", occurrence: 1, fault: { kind: "refuse", status: 503, message: "No route to host" } }]);
    const to = `${lab.address.host(11)}:7001`;
    expect((await through(to)).stderr).toContain("connect failed: No route to host");
    expect((await through(to)).stdout).toBe("a machine\n");
    lab.setFaults([{ service: "ssh", fault: { kind: "cut-before" } }]);
    expect((await through(to)).code).toBe(255);
  });

  test("runs what a host knows, and the recorder tells what could change something", async () => {
    expect(await ssh("true")).toMatchObject({ code: 0, stdout: "" });
    expect(await ssh("hostname")).toMatchObject({ code: 0, stdout: "pve1\n" });
    expect((await ssh("pveversion")).stdout).toMatch(/^pve-manager\/9/);
    expect(await ssh("frob now")).toMatchObject({ code: 127, stderr: expect.stringContaining("frob: command not found") });
    expect(await ssh("pveum role add Deploy --privs VM.Audit && false")).toMatchObject({ code: 1 });
    expect(lab.recorder.calls().map(({ resource, mutating, status }) => [resource, mutating, status])).toEqual([
      ["pve1: true", false, 0],
      ["pve1: hostname", false, 0],
      ["pve1: pveversion", false, 0],
      ["pve1: frob now", true, 127],
      ["pve1: pveum role add", true, 1],
    ]);
  });

  test("does not get in with another key", async () => {
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, "other")]);
    writeFileSync(join(folder, "key"), "", { mode: 0o600 });
    expect((await ssh("-i", join(folder, "other"), "true")).stderr).toContain("Permission denied (publickey,password)");
  });

  test("reads the key as ssh-keygen writes its own", () => {
    const { stdout } = spawnSync("ssh-keygen", ["-y", "-f", join(folder, "key")], { encoding: "utf8" });
    expect(stdout).toMatch(/^ssh-ed25519 AAAA\S+ talosmith lab\n$/);
    const seen = spawnSync("ssh-keygen", ["-lf", join(folder, "known_hosts")], { encoding: "utf8" }).stdout;
    expect(seen).toContain(published().fingerprint);
  });
});

/** As Terraform providers bring files: a function in a script for bash that takes what comes in, then a look by SFTP. */
test("a file that comes in through a script is seen by SFTP, byte by byte", async () => {
  const { host = "", port, key = "" } = published();
  const login = { host, port: Number(port), privateKey: key };
  const bytes = Buffer.from([0, 255, 10, 13, 128, 0]);
  const path = "/var/lib/vz/template/iso/tiny.iso";
  const script = `as_root(){ if [ "$(id -u)" = "0" ]; then "$@"; else sudo "$@"; fi; }; as_root /usr/bin/tee ${path}`;
  expect((await ran(login, `/bin/bash -c '${script}'`, bytes)).status).toBe(0);
  const sftp = await openSftp(login);
  expect(await asked<ssh2.Stats>((done) => sftp.stat(path, done))).toMatchObject({ size: bytes.length });
  expect(await asked<Buffer>((done) => sftp.readFile(path, done))).toEqual(bytes);
  sftp.end();
});

test("SFTP writes, lists, renames and removes files, and says what is not there", async () => {
  const { host = "", port, key = "" } = published();
  const sftp = await openSftp({ host, port: Number(port), privateKey: key });
  const folder = "/var/lib/vz/snippets";
  const text = "#cloud-config\n".repeat(5000);
  await asked((done) => sftp.writeFile(`${folder}/a.yaml`, text, done));
  await asked((done) => sftp.chmod(`${folder}/a.yaml`, 0o600, done));
  await asked((done) => sftp.rename(`${folder}/a.yaml`, `${folder}/b.yaml`, done));
  const listed = await asked<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(folder, done));
  expect(listed.map(({ filename }) => filename)).toEqual(["b.yaml"]);
  expect(lab.turn(() => proxmoxState(lab).volumes)).toMatchObject([{ name: "snippets/b.yaml", size: text.length }]);
  await asked((done) => sftp.mkdir("/root/kept", done));
  await asked((done) => sftp.unlink(`${folder}/b.yaml`, done));
  await expect(asked((done) => sftp.stat(`${folder}/b.yaml`, done))).rejects.toThrow("No such file");
  await expect(asked((done) => sftp.writeFile("/none/x", "x", done))).rejects.toThrow("No such file");
  expect(lab.recorder.calls()).toMatchObject([{ service: "ssh", site: "sftp", resource: "pve1: sftp", mutating: true }]);
  sftp.end();
});

function asked<T = unknown>(ask: (done: (error: Error | null | undefined, answer?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => ask((error, answer) => (error ? reject(error) : resolve(answer as T))));
}

function openSftp(login: { host: string; port: number; privateKey: string }): Promise<ssh2.SFTPWrapper> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client
      .on("error", reject)
      .on("ready", () => client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp.on("close", () => client.end())))));
    client.connect({ ...login, username: "root", hostVerifier: () => true });
  });
}

test("every fault does to a command and to a tunnel what it says", async () => {
  const { host = "", port, key = "" } = published();
  const login = { host, port: Number(port), privateKey: key };
  const service = "ssh";
  await meetsFaults(
    lab,
    {
      service,
      site: "exec",
      make: (n) => ran(login, `pveum role add Role${n} --privs VM.Audit; pveversion; none`),
      saysTheSame: true,
      effect: () => Object.keys(proxmoxState(lab).access.roles),
    },
    refusals["no-space"],
  );
  const to = { host: lab.address.host(11), port: 7001 };
  const tunnel = { service, site: "direct-tcpip", make: () => tunnelled(login, to) };
  await meetsFaults(lab, tunnel, { status: 2, message: "Connection refused" });
});
