import type { Image, Process } from "../pods/program.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
/** How long the real agent tries before it gives up. */
const TRIES = 6;

/** Cilium comes up when it reaches the API server as its values say, and crashes when not: the commonest mistake on Talos (talos.md 9). */
export const ciliumAgent: Image = {
  name: "cilium/cilium",
  pullMs: 8000,
  entrypoint: ["cilium-agent"],
  cni: true,
  program: (run) => (run.argv[0]?.includes("cilium-agent") ? component(run, "daemon", 3000) : Promise.resolve(0)),
};

export const ciliumOperator: Image = {
  name: "cilium/operator-generic",
  pullMs: 4000,
  entrypoint: ["cilium-operator-generic"],
  program: (run) => component(run, "cilium-operator", 2000),
};

async function component(run: Process, module: string, upMs: number): Promise<number | "stays"> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = run.env;
  const url = `https://${host?.includes(":") ? `[${host}]` : host}:${port}`;
  const line = (level: string, text: string) =>
    run.log(`time=${new Date(run.now()).toISOString()} level=${level} msg=${JSON.stringify(text)} module=agent.${module}`);
  line("info", `Establishing connection to apiserver ipAddr=${url}`);
  for (let n = 1; ; n++) {
    const problem = await tryApi(run, `${url}/api/v1/namespaces/kube-system/configmaps/cilium-config`);
    if (problem === undefined) break;
    line("error", `Unable to contact k8s api-server ipAddr=${url} error=${problem}`);
    if (n === TRIES) {
      line("fatal", `failed to start: Get "${url}/version": ${problem}`);
      return 1;
    }
    await run.sleep(5000);
  }
  line("info", "Connected to apiserver");
  await run.sleep(upMs);
  line("info", module === "daemon" ? "Daemon initialization completed" : "Initialization complete");
  return "stays";
}

async function tryApi(run: Process, url: string): Promise<string | undefined> {
  const { [`${ACCOUNT}/ca.crt`]: ca = "", [`${ACCOUNT}/token`]: token = "" } = run.files;
  try {
    const { status } = await run.fetch(url, { ca, headers: { Authorization: `Bearer ${token}` } });
    return status === 200 ? undefined : `the server answered ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
