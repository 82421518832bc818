import { packTar } from "@talosmith/lib/tar/pack.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Loose } from "../objects.ts";
import { Bench, type Person } from "../testing/bench.ts";
import { type Executed, execute, type Refused, SpdyClient } from "../testing/upgrade-client.ts";

/* Responses to kubectl, in both of its protocols; test/conformance/kubectl/commands.js checks the same with real ones. */

let bench: Bench;
const PODS = "/api/v1/namespaces/kube-system/pods";

beforeAll(async () => {
  bench = await Bench.open({ timeScale: 200 });
  const start = (name: string, container: Loose) =>
    bench.admin.create(PODS, {
      metadata: { name },
      spec: { nodeName: "worker-1", hostNetwork: true, containers: [{ name: "main", ...container }] },
    });
  const env = [{ name: "COLOR", value: "blue" }];
  await start("box", { image: "busybox:1.37", command: ["sleep", "infinity"], env });
  await start("web", { image: "registry.k8s.io/e2e-test-images/agnhost:2.53", args: ["netexec", "--http-port=9000"] });
  await start("lost", { image: "registry.example/nobody:1" });
  for (const name of ["box", "web"]) {
    await bench.until(async () => (await bench.admin.get(`${PODS}/${name}`)).status.phase === "Running", name);
  }
});
afterAll(() => bench.close());

const url = (pod: string, subresource: string, query = "") => `${bench.server}${PODS}/${pod}/${subresource}?${query}`;

function exec(pod: string, command: readonly string[], input?: string | Buffer, who: Person = bench.admin): Promise<Executed> {
  const words = command.map((word) => `command=${encodeURIComponent(word)}`).join("&");
  const streams = `stdout=true&stderr=true${input === undefined ? "" : "&stdin=true"}`;
  return execute(url(pod, "exec", `${words}&${streams}`), who.who, input === undefined ? undefined : Buffer.from(input));
}

test("exec by WebSocket gives output, errors and the exit code apart, and closes normally", async () => {
  expect(await exec("box", ["sh", "-c", "echo $COLOR; cat /none; exit 3"])).toEqual({
    stdout: "blue\n",
    stderr: "cat: /none: No such file or directory\n",
    status: expect.objectContaining({
      status: "Failure",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    }),
    closed: 1000,
  });
  expect((await exec("box", ["true"])).status).toEqual({ metadata: {}, status: "Success" });
});

test("exec reads its input to the end", async () => {
  const long = "line\n".repeat(5000);
  expect((await exec("box", ["cat"], long)).stdout).toBe(long);
});

test("an unknown command ends with 127 and says that this is a lab", async () => {
  const { stderr, status } = await exec("box", ["psql"]);
  expect(stderr).toMatch(/^psql: not found: this container is simulated by a Talosmith lab, which can run: .*\becho\b/);
  expect(status.details.causes).toEqual([{ reason: "ExitCode", message: "127" }]);
});

test("files copied into a container stay there, and can be copied out again", async () => {
  const content = Buffer.from("hello\n");
  const archive: Uint8Array[] = [];
  const file = { name: "notes/a.txt", mode: 0o600, modifiedMs: 0 };
  for await (const part of packTar([
    {
      ...file,
      content: {
        size: content.length,
        open: async function* () {
          yield content;
        },
      },
    },
  ])) {
    archive.push(part);
  }
  expect((await exec("box", ["test", "-d", "/tmp"])).status.status).toBe("Success");
  expect((await exec("box", ["tar", "-xmf", "-", "-C", "/tmp"], Buffer.concat(archive))).stderr).toBe("");
  expect((await exec("box", ["cat", "/tmp/notes/a.txt"])).stdout).toBe("hello\n");
  expect((await exec("box", ["tar", "cf", "-", "/tmp/notes"])).stdout).toMatch(
    /^tmp\/notes\/\0[\s\S]*tmp\/notes\/a\.txt\0[\s\S]*hello\n/,
  );
  expect((await exec("web", ["ls", "/tmp/notes"])).status.status).toBe("Failure");
});

test("a command of the image itself is run by its program", async () => {
  expect((await exec("web", ["nslookup", "-timeout=1", "-retry=1", "nobody.example"])).stdout).toContain("nobody.example");
  expect((await exec("box", ["nslookup", "nobody.example"])).status.details.causes[0].message).toBe("127");
});

test("a container that does not run is not found", async () => {
  expect((await exec("lost", ["true"])).status.message).toBe(
    'Internal error occurred: unable to upgrade connection: container not found ("main")',
  );
});

test("a user without the right to create pods/exec is refused, although a WebSocket begins with a GET", async () => {
  const rules = [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] }];
  await bench.admin.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "reader" }, rules });
  await bench.admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ kind: "User", name: "ann" }],
  });
  const refused = (await exec("box", ["true"], undefined, await bench.user("ann")).catch((error) => error)) as Refused;
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('User \\"ann\\" cannot create resource \\"pods/exec\\"');
});

test("exec without an upgrade header is refused", async () => {
  const { status, body } = await bench.admin.call("POST", `${PODS}/box/exec?command=true&stdout=true`);
  expect([status, body.message]).toEqual([400, "Upgrade request required"]);
});

test("other requests with an upgrade header are answered normally", async () => {
  const refused = (await execute(url("box", "log"), bench.admin.who).catch((error) => error)) as Refused;
  expect(refused.status).toBe(200);
});

test("exec by SPDY, as older clients do it", async () => {
  const client = await SpdyClient.open(
    url("box", "exec", "command=cat&stdin=true&stdout=true"),
    bench.admin.who,
    "v4.channel.k8s.io",
  );
  const [error, stdin, stdout] = ["error", "stdin", "stdout"].map((streamtype) => client.stream({ streamtype }));
  client.send(stdin ?? 0, "through");
  const said = await client.untilEnded(error ?? 0, stdout ?? 0);
  expect([said[stdout ?? 0], JSON.parse(said[error ?? 0] ?? "")]).toEqual(["through", { metadata: {}, status: "Success" }]);
});

async function forwarded(port: string): Promise<{ data: string; error: string }> {
  const client = await SpdyClient.open(url("web", "portforward"), bench.admin.who, "portforward.k8s.io");
  const [error = 0, data = 0] = ["error", "data"].map((streamtype) => client.stream({ streamtype, port, requestid: "0" }));
  client.send(data, "GET /hostname HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const said = await client.untilEnded(error, data);
  return { data: said[data] ?? "", error: said[error] ?? "" };
}

test("port-forward reaches a server in the pod", async () => {
  expect(await forwarded("9000")).toEqual({
    data: expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nweb$/),
    error: "",
  });
});

test("port-forward to a closed port fails with the kubelet's message", async () => {
  const { data, error } = await forwarded("81");
  expect(data).toBe("");
  expect(error).toMatch(/^error forwarding port 81 to pod \w+, uid : .*dial tcp4 127\.0\.0\.1:81: connect: connection refused/);
});

test("an ephemeral container can be added to a running pod, and no other field of the pod can be changed that way", async () => {
  const added = { name: "debugger", image: "busybox:1.37", command: ["sleep", "infinity"] };
  const patch = { spec: { ephemeralContainers: [added], nodeName: "cp-1" } };
  const path = `${PODS}/box/ephemeralcontainers`;
  const { status, body } = await bench.admin.patch(path, "application/strategic-merge-patch+json", patch);
  expect([status, body.spec?.nodeName]).toEqual([200, "worker-1"]);
  await bench.until(async () => {
    const [it] = (await bench.admin.get(`${PODS}/box`)).status.ephemeralContainerStatuses ?? [];
    return it?.state?.running !== undefined;
  }, "the debugger");
  const query = "container=debugger&command=hostname&stdout=true";
  expect((await execute(url("box", "exec", query), bench.admin.who)).stdout).toBe("worker-1\n");
});

test("attach streams the program's output, and ends with the container", async () => {
  const spec = { nodeName: "worker-1", hostNetwork: true, restartPolicy: "Never" };
  // As `kubectl run` does: busybox has no entrypoint, so that only args are run.
  const args = ["sh", "-c", "sleep 20; echo late; sleep 20"];
  await bench.admin.create(PODS, {
    metadata: { name: "talk" },
    spec: { ...spec, containers: [{ name: "c", image: "busybox", args }] },
  });
  await bench.until(async () => (await bench.admin.get(`${PODS}/talk`)).status.phase === "Running", "talk");
  const { stdout, status } = await execute(url("talk", "attach", "stdout=true"), bench.admin.who);
  expect([stdout, status.status]).toEqual(["late\n", "Success"]);
});
