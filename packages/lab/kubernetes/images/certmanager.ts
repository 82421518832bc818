import { messageOf } from "@talosmith/lib/errors.ts";
import type { Loose } from "../objects.ts";
import type { Image, Process } from "../pods/program.ts";
import { condition, InCluster } from "./in-cluster.ts";

const GROUP = "/apis/cert-manager.io/v1";

async function readyIssuers(run: Process): Promise<void> {
  const api = new InCluster(run);
  const issuers = [
    ...(await api.list(`${GROUP}/clusterissuers`)).map((one): [string, Loose] => [
      `${GROUP}/clusterissuers/${one.metadata.name}`,
      one,
    ]),
    ...(await api.list(`${GROUP}/issuers`)).map((one): [string, Loose] => [
      `${GROUP}/namespaces/${one.metadata.namespace}/issuers/${one.metadata.name}`,
      one,
    ]),
  ];
  for (const [path, issuer] of issuers) {
    const [reason, message] = wordsFor(issuer.spec ?? {});
    await api.report(path, issuer, {
      conditions: [condition(run, issuer, "Ready", reason === "ErrConfig" ? "False" : "True", reason, message)],
    });
  }
}

function wordsFor({ acme, ca, selfSigned, vault, venafi }: Loose): [string, string] {
  if (acme) return ["ACMEAccountRegistered", "The ACME account was registered with the ACME server"];
  if (ca) return ["KeyPairVerified", "Signing CA verified"];
  if (selfSigned) return ["IsReady", ""];
  if (vault) return ["VaultVerified", "Vault verified"];
  return venafi ? ["Venafi issuer started", "Venafi issuer started"] : ["ErrConfig", "no issuer specified for Issuer"];
}

/** Creates its own certificate first, which takes a while, and then answers the API server. */
const webhook: Image = {
  name: "jetstack/cert-manager-webhook",
  pullMs: 3000,
  entrypoint: ["/app/cmd/webhook/webhook"],
  program: async (run) => {
    run.log('I0101 00:00:00.000000       1 server.go:133] "listening for secure connections" logger="cert-manager.webhook"');
    await run.sleep(10_000);
    run.log(
      'I0101 00:00:00.000000       1 dynamic_source.go:290] "Updated cert-manager TLS certificate" logger="cert-manager.webhook"',
    );
    return "stays";
  },
};

const WAIT_MS = 5000;

/** `cmctl check api --wait=1m`: a dry-run request passes the webhook, or fails. */
const check: Image = {
  name: "jetstack/cert-manager-startupapicheck",
  pullMs: 3000,
  entrypoint: ["/app/cmd/startupapicheck/startupapicheck"],
  program: async (run) => {
    const minutes = Number(/--wait=(\d+)m/.exec(run.argv.join(" "))?.[1] ?? 1);
    const namespace = run.env.POD_NAMESPACE ?? "cert-manager";
    const api = new InCluster(run);
    let last = "";
    for (let waited = 0; waited <= minutes * 60_000; waited += WAIT_MS) {
      try {
        await api.create(`${GROUP}/namespaces/${namespace}/certificaterequests?dryRun=All`, {
          apiVersion: "cert-manager.io/v1",
          kind: "CertificateRequest",
          metadata: { generateName: "cmctl-", namespace },
          spec: {
            request: Buffer.from("lab").toString("base64"),
            issuerRef: { name: "cmctl", group: "cert-manager.io", kind: "ClusterIssuer" },
          },
        });
        run.log("The cert-manager API is ready");
        return 0;
      } catch (error) {
        if (run.signal.aborted) throw error;
        last = messageOf(error);
        run.log(`Not ready: the cert-manager webhook deployment is not ready yet (${last})`);
        await run.sleep(WAIT_MS);
      }
    }
    run.log(`error: timed out after ${minutes}m0s: ${last}`);
    return 1;
  },
};

export const CERT_MANAGER: readonly Image[] = [
  webhook,
  check,
  {
    name: "jetstack/cert-manager-controller",
    pullMs: 3000,
    entrypoint: ["/app/cmd/controller/controller"],
    readyMs: 2000,
    controls: { watches: ["clusterissuers.cert-manager.io", "issuers.cert-manager.io"], act: readyIssuers },
  },
  { name: "jetstack/cert-manager-cainjector", pullMs: 3000, entrypoint: ["/app/cmd/cainjector/cainjector"], readyMs: 1500 },
];
