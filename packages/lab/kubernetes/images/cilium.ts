import { messageOf } from "@talosmith/lib/errors.ts";
import { parse } from "yaml";
import type { Image, Process } from "../pods/program.ts";
import { ciliumDefinitions } from "./cilium-definitions.ts";
import { InCluster } from "./in-cluster.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
/** The number of attempts before the real agent exits. */
const TRIES = 6;

/**
 * Cilium starts if its values let it reach the API server, and crashes otherwise: the commonest mistake on Talos
 * (docs/facts/kubernetes.md#cilium-on-talos).
 */
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
  program: async (run) => {
    const outcome = await component(run, "cilium-operator", 2000);
    if (outcome === "stays") await register(run);
    return outcome;
  },
};

/** Cilium's operator registers its kinds; its chart does not contain them. */
async function register(run: Process): Promise<void> {
  const api = new InCluster(run);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const there = new Set((await api.list(path)).map(({ metadata }) => metadata.name));
  for (const one of ciliumDefinitions()) if (!there.has(one.metadata.name)) await api.ensure(path, one);
}

/** Creates missing secrets named in its config. Their content is not read in the lab. */
export const certgen: Image = {
  name: "cilium/certgen",
  pullMs: 2000,
  entrypoint: ["/usr/bin/cilium-certgen"],
  program: async (run) => {
    const api = new InCluster(run);
    const certs: { name: string; namespace: string }[] = parse(run.env.CILIUM_CERTGEN_CONFIG ?? "")?.certs ?? [];
    const [, namespace = "kube-system"] = /--ca-secret-namespace=(\S+)/.exec(run.argv.join(" ")) ?? [];
    const lab = Buffer.from("lab").toString("base64");
    const secret = (name: string, its: string) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: its },
      type: "kubernetes.io/tls",
      data: { "ca.crt": lab, "tls.crt": lab, "tls.key": lab },
    });
    for (const { name, namespace: its } of [{ name: "cilium-ca", namespace }, ...certs]) {
      await api.ensure(`/api/v1/namespaces/${its}/secrets`, secret(name, its));
      run.log(`level=info msg="Creating K8s Secret" k8sSecretName=${name} k8sSecretNamespace=${its}`);
    }
    return 0;
  },
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
    return messageOf(error);
  }
}
