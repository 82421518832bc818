import { afterAll, beforeAll, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/* Connections between pods, tested with the image that Kubernetes's own tests use. Messages are those of curl and bind. */

let bench: Bench;
const IMAGE = "registry.k8s.io/e2e-test-images/agnhost:2.53";
const PODS = "/api/v1/namespaces/default/pods";

beforeAll(async () => {
  bench = await Bench.open({ workers: 2, timeScale: 200 });
  await bench.until(async () => {
    const { items } = await bench.admin.get("/api/v1/namespaces/kube-system/pods");
    const isReady = (pod: { status: { containerStatuses?: { ready: boolean }[] } }) =>
      pod.status.containerStatuses?.every((it) => it.ready);
    return items.length > 8 && items.every(isReady);
  }, "a cluster that is up");
  await bench.admin.create(PODS, {
    metadata: { name: "web", labels: { app: "web" } },
    spec: { nodeName: "worker-1", containers: [{ name: "web", image: IMAGE, args: ["netexec", "--http-port=9000"] }] },
  });
  await bench.admin.create("/api/v1/namespaces/default/services", {
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 9000 }] },
  });
  await bench.until(async () => (await bench.admin.get(`${PODS}/web`)).status.podIP, "web");
});
afterAll(() => bench.close());

let count = 0;

/** The output of a program on worker-2, and its exit code. */
async function said(...command: string[]): Promise<{ log: string; code: number }> {
  const name = `asker-${++count}`;
  const containers = [{ name: "asker", image: IMAGE, command }];
  await bench.admin.create(PODS, { metadata: { name }, spec: { nodeName: "worker-2", restartPolicy: "Never", containers } });
  const ended = await bench.until(async () => {
    const { status } = await bench.admin.get(`${PODS}/${name}`);
    return status?.containerStatuses?.[0]?.state?.terminated as { exitCode: number } | undefined;
  }, name);
  return { log: (await bench.admin.call("GET", `${PODS}/${name}/log`)).text.trim(), code: ended.exitCode };
}

test("a pod on another node is reachable by its address", async () => {
  const { podIP } = (await bench.admin.get(`${PODS}/web`)).status;
  expect(await said("curl", "-s", `http://${podIP}:9000/hostname`)).toEqual({ log: "web", code: 0 });
});

test("the API server proxies requests to pods and Services", async () => {
  const asked = async (path: string) => {
    const { status, text } = await bench.admin.call("GET", `/api/v1/namespaces/default/${path}`);
    return [status, text.includes('"Status"') ? JSON.parse(text).message : text];
  };
  expect(await asked("pods/web:9000/proxy/hostname")).toEqual([200, "web"]);
  await bench.until(async () => (await asked("services/web/proxy/hostname"))[0] === 200, "an endpoint");
  expect(await asked("services/http:web:80/proxy/nothing")).toEqual([404, "404 page not found\n"]);
  const [slice] = (await bench.admin.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices")).items;
  expect(slice.ports).toEqual([{ name: "", port: 9000, protocol: "TCP" }]);
  expect(await asked("services/web:81/proxy/")).toEqual([503, 'no service port "81" found for service "web"']);
  expect((await asked("pods/web:9001/proxy/"))[1]).toMatch(
    /^error trying to reach service: dial tcp .*:9001: connect: connection refused$/,
  );
  expect(await asked("services/none/proxy/")).toEqual([404, 'services "none" not found']);
});

test("a Service is reachable by its name, through cluster DNS", async () => {
  expect(await said("curl", "-s", "http://web.default.svc.cluster.local/hostname")).toEqual({ log: "web", code: 0 });
});

test("a connection to a closed port is refused", async () => {
  const { podIP } = (await bench.admin.get(`${PODS}/web`)).status;
  const { log, code } = await said("curl", "-sS", `http://${podIP}:1/`);
  expect(code).toBe(7);
  expect(log).toMatch(/^curl: \(7\) Failed to connect to .* port 1 /);
});

test("an unknown name does not resolve", async () => {
  expect(await said("nslookup", "nobody.default.svc.cluster.local.")).toEqual({
    log: "** server can't find nobody.default.svc.cluster.local: NXDOMAIN",
    code: 1,
  });
  expect((await said("curl", "-sS", "http://nobody.default/")).code).toBe(6);
});

test("nslookup prints the server and the answer", async () => {
  const { log, code } = await said("nslookup", "kubernetes.default.svc.cluster.local.");
  expect(code).toBe(0);
  expect(log).toContain("Address:\t10.96.0.10#53");
  expect(log).toContain("Name:\tkubernetes.default.svc.cluster.local\nAddress: 10.96.0.1");
});

test("curl refuses certificates that it was not configured to trust", async () => {
  const { log, code } = await said("curl", "-sS", "https://10.96.0.1/version");
  expect(code).toBe(60);
  expect(log).toMatch(/^curl: \(60\) SSL certificate problem: /);
});

test("with the cluster's CA the API answers, and refuses requests without credentials", async () => {
  const ca = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
  const args = ["--cacert", ca, "--output", "/dev/null", "--write-out", "%{http_code}"];
  expect(await said("curl", "-s", ...args, "https://kubernetes.default.svc/version")).toEqual({ log: "401", code: 0 });
});
