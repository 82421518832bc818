import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const READY_WITHIN_MS = 60_000;

/** etcd and kube-apiserver on loopback while `play` runs, with the files of `pki`; `play` is given the API server's address. */
export async function withApiServer(programs, pki, folder, play) {
  const [client, peer, api] = await freePorts(3);
  const file = (name) => join(pki, name);
  const running = [];
  const start = (name, flags) => {
    const child = spawn(join(programs, name), flags, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const one = { name, child, said: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        one.said = `${one.said}${text}`.slice(-20_000);
      });
    one.ended = new Promise((done) => child.once("close", done));
    running.push(one);
  };
  try {
    start("etcd", etcdFlags(file, join(folder, "etcd-state"), client, peer));
    start("kube-apiserver", apiServerFlags(file, `https://127.0.0.1:${client}`, api));
    const url = `https://127.0.0.1:${api}`;
    await ready(url, file, running);
    return await play(url);
  } finally {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ ended }) => ended));
    writeFileSync(join(folder, "said.txt"), running.map(({ name, said }) => `== ${name}\n${said}`).join("\n"));
  }
}

function etcdFlags(file, state, client, peer) {
  return [
    ...["--name=cp-1", `--data-dir=${state}`, "--unsafe-no-fsync", "--log-level=warn"],
    `--listen-client-urls=https://127.0.0.1:${client}`,
    `--advertise-client-urls=https://127.0.0.1:${client}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
    `--initial-cluster=cp-1=http://127.0.0.1:${peer}`,
    `--cert-file=${file("etcd.crt")}`,
    `--key-file=${file("etcd.key")}`,
    `--trusted-ca-file=${file("etcd-ca.crt")}`,
    "--client-cert-auth",
  ];
}

/** As Talos starts it, as far as it matters to whoever asks it. */
function apiServerFlags(file, etcd, port) {
  return [
    `--etcd-servers=${etcd}`,
    `--etcd-cafile=${file("etcd-ca.crt")}`,
    `--etcd-certfile=${file("etcd-client.crt")}`,
    `--etcd-keyfile=${file("etcd-client.key")}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    // It does not come up before it has told its address to the whole cluster, which must not be loopback.
    "--endpoint-reconciler-type=none",
    `--secure-port=${port}`,
    `--tls-cert-file=${file("kube-apiserver.crt")}`,
    `--tls-private-key-file=${file("kube-apiserver.key")}`,
    `--client-ca-file=${file("ca.crt")}`,
    "--allow-privileged=true",
    "--anonymous-auth=false",
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    `--admission-control-config-file=${file("admission.yaml")}`,
    `--encryption-provider-config=${file("encryption.yaml")}`,
    "--service-cluster-ip-range=10.96.0.0/12",
    "--service-account-issuer=https://10.10.0.11:6443",
    `--service-account-key-file=${file("service-account.key")}`,
    `--service-account-signing-key-file=${file("service-account.key")}`,
    `--requestheader-client-ca-file=${file("aggregator-ca.crt")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-username-headers=X-Remote-User",
    `--proxy-client-cert-file=${file("front-proxy-client.crt")}`,
    `--proxy-client-key-file=${file("front-proxy-client.key")}`,
    "--enable-bootstrap-token-auth",
    "--profiling=false",
  ];
}

/** Our own administrator is let in, and everything that the server starts with has begun. */
async function ready(url, file, running) {
  const who = { ca: readFileSync(file("ca.crt")), cert: readFileSync(file("admin.crt")), key: readFileSync(file("admin.key")) };
  const end = performance.now() + READY_WITHIN_MS;
  let last = "";
  for (;;) {
    const dead = running.find(({ child }) => child.exitCode !== null || child.signalCode !== null);
    if (dead) throw new Error(`${dead.name} has ended: ${dead.said.trim().split("\n").slice(-5).join("\n")}`);
    const { status, said } = await ask(`${url}/readyz`, who);
    if (status === 200) return;
    last = `${status} ${said}`;
    if (performance.now() > end) throw new Error(`kube-apiserver is not ready: ${last}`);
    await sleep(100);
  }
}

function ask(url, who) {
  return new Promise((done) => {
    const sent = request(url, { ...who, agent: false }, (answer) => {
      let said = "";
      answer.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
      answer.on("end", () => done({ status: answer.statusCode, said }));
    });
    sent.on("error", (error) => done({ status: 0, said: error.message }));
    sent.end();
  });
}

async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((done, failed) => {
          const server = createServer();
          server.once("error", failed).listen(0, "127.0.0.1", () => done(server));
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}
