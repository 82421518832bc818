import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const NAMESPACE = "commands";
const AGNHOST = "registry.k8s.io/e2e-test-images/agnhost:2.53";

/** Not where `workloads.js` drains. */
const place = { nodeName: "worker-2" };

const pod = (name, container) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { ...place, containers: [{ name: "main", ...container }] },
  });

/** Inside of pods: commands, files, ports. Each by WebSocket and by SPDY, which kubectl falls back to, and which older ones use alone. */
export async function commands(ask, start, folder) {
  await ask(["create", "namespace", NAMESPACE]);
  const here = (args, input, env) => ask(["-n", NAMESPACE, ...args], input, env);
  await here(["apply", "-f", "-"], pod("box", { image: "busybox:1.37", command: ["sleep", "infinity"] }));
  await here(["apply", "-f", "-"], pod("web", { image: AGNHOST, args: ["netexec", "--http-port=9000"] }));
  await here(["wait", "--for=condition=Ready", "pod/box", "pod/web", "--timeout=300s"]);
  for (const by of ["true", "false"]) {
    const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: by, KUBECTL_PORT_FORWARD_WEBSOCKETS: by };
    const inside = (args, input) => here(args, input, env);
    await runs(inside);
    await copies(inside, folder);
    await forwards((args) => start(["-n", NAMESPACE, ...args], env));
  }
  await ask(["delete", "namespace", NAMESPACE, "--timeout=300s"]);
}

async function runs(here) {
  assert.equal(await here(["exec", "box", "--", "echo", "hello"]), "hello\n", "exec");
  assert.equal(await here(["exec", "box", "-c", "main", "--", "hostname"]), "box\n", "exec -c");
  assert.equal(await here(["exec", "-i", "box", "--", "cat"], "typed\n"), "typed\n", "exec -i");
  assert.equal(await here(["exec", "-i", "box", "--", "sh"], "cd /tmp && pwd\n"), "/tmp\n", "a script to a shell");
  await assert.rejects(here(["exec", "box", "--", "sh", "-c", "exit 3"]), /ended with 3\n.*exit code 3/s, "an exit code");
  await assert.rejects(here(["exec", "box", "--", "psql"]), /ended with 127\n.*simulated by a Talosmith lab/s, "no such command");
  await assert.rejects(
    here(["exec", "box", "-c", "other", "--", "true"]),
    /container (name )?"?other"? .*not (valid|found)|is not valid for pod box/,
    "no such container",
  );
  const once = ["--rm", "--restart=Never", "--image=busybox:1.37", `--overrides=${JSON.stringify({ spec: place })}`];
  const attached = await here(["run", "talk", "-i", ...once, "--", "sh", "-c", "sleep 300; echo seen; sleep 100"]);
  assert.match(attached, /^seen$/m, "attach");
}

async function copies(here, folder) {
  const [source, back] = [join(folder, "source.bin"), join(folder, "back.bin")];
  const content = randomBytes(300_000);
  writeFileSync(source, content);
  await here(["cp", source, "box:/tmp/there.bin"]);
  assert.equal(await here(["exec", "box", "--", "wc", "-c", "/tmp/there.bin"]), "300000 /tmp/there.bin\n", "cp into a container");
  await here(["cp", "box:/tmp/there.bin", back]);
  assert.ok(readFileSync(back).equals(content), "cp out of a container");
  await assert.rejects(here(["cp", "box:/none", back]), /No such file or directory/, "cp of nothing");
}

async function forwards(start) {
  const forwarding = async (ports) => {
    const child = start(["port-forward", "pod/web", ports]);
    const [, port] = await child.says(/Forwarding from 127\.0\.0\.1:(\d+) ->/);
    return { child, url: `http://127.0.0.1:${port}/hostname` };
  };
  const open = await forwarding(":9000");
  // Twice: the second connection has streams of its own.
  for (const _ of [1, 2]) {
    const answer = await fetch(open.url, { headers: { connection: "close" } });
    assert.equal(await answer.text(), "web", "port-forward");
  }
  await open.child.end();
  const closed = await forwarding(":81");
  await assert.rejects(fetch(closed.url), "port-forward to a port where nothing listens");
  await closed.child.says(/error forwarding port 81 to pod .*connection refused/);
  await closed.child.end();
}
