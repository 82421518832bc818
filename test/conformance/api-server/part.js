import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { runOurs } from "../oracle.js";
import { addonsOn } from "./helm.js";
import { programs } from "./programs.js";
import { withApiServer } from "./start.js";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../../..");
const EXPECTATIONS = "src/kubernetes/client/expectations.integration.test.ts";

/**
 * What we expect of the lab's API server, asked of a real one with a real etcd, which run with certificates out of our own secrets. `whole`: somebody
 * has asked for this part, and waits for programs to be built and for real charts to be installed.
 */
export async function apiServer(folder, { whole }) {
  const { folder: built, kubernetes } = await programs({ make: whole });
  mkdirSync(folder, { recursive: true });
  const pki = join(folder, "pki");
  await runOurs(join(HERE, "pki.ts"), join(folder, "ours"), [pki]);
  return withApiServer(built, pki, folder, async (url) => {
    const pem = (name) => readFileSync(join(pki, name), "utf8");
    const where = join(folder, "server.json");
    const access = { certificate: pem("admin.crt"), key: pem("admin.key") };
    writeFileSync(where, JSON.stringify({ url, ca: pem("ca.crt"), caKey: pem("ca.key"), ...access }));
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, pem("kubeconfig").replace("https://server.invalid:6443", url), { mode: 0o600 });
    const expected = await expectations(where, join(folder, "report.json"));
    const installed = whole ? `, ${await addonsOn(where, kubeconfig, folder)}` : "";
    return `kube-apiserver ${kubernetes} with etcd: ${expected} expectations${installed}`;
  });
}

async function expectations(where, report) {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const flags = ["run", "--project", "integration", EXPECTATIONS, "--reporter=json", `--outputFile=${report}`];
  const env = { ...process.env, TALOSMITH_API_SERVER: where };
  const ended = await execute(process.execPath, [vitest, ...flags], { cwd: ROOT, env }).catch((error) => error);
  if (!existsSync(report)) throw ended;
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
  const wrong = testResults.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === "failed"));
  if (wrong.length > 0)
    throw new Error(wrong.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`).join("\n"));
  if (ended instanceof Error) throw ended;
  return numPassedTests;
}
