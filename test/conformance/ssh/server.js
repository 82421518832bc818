import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { execute } from "../execute.js";
import { Skipped } from "../skipped.js";
import { freePort, untilListening } from "./port.js";

const TALOSMITH = join(import.meta.dirname, "../../../talosmith");
const NODE = "127.77.0.11";
const WORDS = "the Kubernetes API, as far as a tunnel can tell\n";

/** `talosmith tunnel` through OpenSSH's own server: our client before a server nobody here wrote. */
export async function sshServer(folder) {
  // It insists on being called by its whole path.
  const sshd = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));
  if (sshd === undefined) throw new Skipped("there is no sshd");
  if (userInfo().uid === 0 && !existsSync("/run/sshd"))
    throw new Skipped("sshd has no /run/sshd, which it needs when root starts it");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const port = await freePort();
  const file = (name) => join(folder, name);
  for (const name of ["host", "user"]) await execute("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file(name)]);
  const [, fingerprint] = (await execute("ssh-keygen", ["-lf", file("host.pub")])).split(" ");
  writeFileSync(file("sshd_config"), sshdConfig(port, file));
  writeFileSync(file("config.yaml"), config(port, file("user"), fingerprint));
  const daemon = spawn(sshd, ["-D", "-e", "-f", file("sshd_config")], { stdio: "ignore" });
  const api = createServer((socket) => socket.on("error", () => {}).end(WORDS));
  await new Promise((listening) => api.listen(6443, NODE, listening));
  let tunnel;
  try {
    await untilListening(port);
    tunnel = spawn(process.execPath, [TALOSMITH, "tunnel", folder, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
    const [first] = await Promise.race([firstLine(tunnel.stdout), ended(tunnel)]);
    const { result } = JSON.parse(first);
    const { value } = result.facts.find(({ key }) => key === "address");
    assert.equal(await text(connect(Number(new URL(value).port), "127.0.0.1")), WORDS);
    return "talosmith tunnel through sshd";
  } finally {
    tunnel?.kill("SIGINT");
    daemon.kill();
    api.close();
  }
}

function firstLine(stream) {
  return new Promise((done) => createInterface(stream).once("line", (line) => done([line])));
}

function ended(child) {
  return new Promise((_, failed) => child.once("exit", (code) => failed(new Error(`talosmith tunnel ended with ${code}`))));
}

const sshdConfig = (port, file) => `ListenAddress 127.0.0.1
Port ${port}
HostKey ${file("host")}
AuthorizedKeysFile ${file("user.pub")}
PidFile none
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
`;

const config = (port, key, fingerprint) => `platform: metal
cluster: { name: far, endpoint: ${NODE}, talos: v1.13.9 }
network:
  cidr: 127.77.0.0/24
  gateway: 127.77.0.1
  via: ssh
  ssh: { host: 127.0.0.1, port: ${port}, user: ${userInfo().username}, key: ${key}, hostKey: "${fingerprint}" }
nodes:
  - { name: cp, role: controlplane, ip: ${NODE} }
`;
