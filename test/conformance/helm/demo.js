import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { withDemo } from "../lab.js";

/** What `talosmith demo` has installed, in the hands of a person with a helm of their own. `chart` is Cilium's, as a folder. */
export async function onDemo(helm, folder, chart) {
  const home = `${folder}-home`;
  mkdirSync(home, { recursive: true });
  return withDemo(folder, async () => {
    const ask = (...args) => execute(helm, [...args, "--kubeconfig", join(folder, "kubeconfig")], { env: { HOME: home } });
    const cilium = (...args) => ask(...args, "--namespace", "kube-system");
    const listed = JSON.parse(await ask("list", "--all-namespaces", "--output", "json"));
    assert.deepEqual(
      listed.map(({ name, namespace, status, revision }) => `${namespace}/${name} ${status} ${revision}`),
      ["kube-system/cilium deployed 1"],
      "list",
    );
    const values = JSON.parse(await cilium("get", "values", "cilium", "--output", "json"));
    assert.deepEqual([values.k8sServicePort, values.kubeProxyReplacement], [7445, true], "get values");
    assert.match(await cilium("get", "manifest", "cilium"), /kind: DaemonSet/, "get manifest");
    assert.match(await cilium("status", "cilium"), /STATUS: deployed/, "status");
    await cilium("upgrade", "cilium", chart, "--reuse-values", "--set", "debug.enabled=true");
    await cilium("rollback", "cilium", "1");
    const history = JSON.parse(await cilium("history", "cilium", "--output", "json"));
    assert.deepEqual(
      history.map(({ status, description }) => `${status}: ${description}`),
      ["superseded: Install complete", "superseded: Upgrade complete", "deployed: Rollback to 1"],
      "history",
    );
    assert.equal(await cilium("uninstall", "cilium"), 'release "cilium" uninstalled\n', "uninstall");
  });
}
