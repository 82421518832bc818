import assert from "node:assert/strict";
import { join } from "node:path";
import { execute, spoken, version } from "./execute.js";
import { commands } from "./kubectl/commands.js";
import { definitions } from "./kubectl/definitions.js";
import { objects } from "./kubectl/objects.js";
import { otherKinds } from "./kubectl/other-kinds.js";
import { workloads } from "./kubectl/workloads.js";
import { withDemo } from "./lab.js";
import { Skipped } from "./skipped.js";

/** The client that everybody uses, with the kubeconfig of a demo cluster: what a person does on the first day, and what comes after. */
export async function kubectl(folder) {
  const found = await version("kubectl", "version", "--client");
  if (found === undefined) throw new Skipped("there is no kubectl");
  return withDemo(folder, async () => {
    const always = ["--kubeconfig", join(folder, "kubeconfig"), "--cache-dir", join(folder, "kubectl-cache")];
    const environment = (more) => ({ PATH: process.env.PATH, HOME: folder, ...more });
    const ask = (args, input = "", more = {}) => execute("kubectl", [...always, ...args], { input, env: environment(more) });
    const start = (args, more = {}) => spoken("kubectl", [...always, ...args], { env: environment(more) });

    const nodes = (await ask(["get", "nodes", "--no-headers"])).trim().split("\n");
    assert.deepEqual(
      nodes.map((line) => line.split(/\s+/).slice(0, 3).join(" ")).sort(),
      ["cp-1 Ready control-plane", "worker-1 Ready <none>", "worker-2 Ready <none>"],
      "get nodes",
    );
    const pods = (await ask(["get", "pods", "-A", "--no-headers"])).trim().split("\n");
    const wrong = pods.filter((line) => !/\s(Running|Completed)\s/.test(line));
    assert.deepEqual(wrong, [], "get pods -A: all run, or are done");
    for (const name of ["kube-apiserver-cp-1", "kube-scheduler-cp-1", "coredns-", "cilium-"])
      assert.ok(
        pods.some((line) => line.includes(name)),
        `get pods -A: ${name}`,
      );

    const listed = JSON.parse(await ask(["get", "nodes", "-o", "json"]));
    assert.equal(listed.items.length, 3, "get nodes -o json");
    for (const { status } of listed.items) assert.equal(status.nodeInfo.kubeletVersion, "v1.36.3", "get nodes -o json: version");
    assert.match(await ask(["get", "nodes", "-o", "wide"]), /Talos \(v1\.13\.9\)/, "get nodes -o wide");

    const job = (await ask(["-n", "kube-system", "get", "jobs", "-o", "name"])).trim();
    assert.match(job, /^job\.batch\/\S+$/, "the Helm Job is kept");
    assert.match(await ask(["-n", "kube-system", "logs", job]), /STATUS: deployed/, "logs of the Helm Job");
    assert.match(
      await ask(["-n", "kube-system", "wait", "--for=condition=complete", job, "--timeout=300s"]),
      /condition met/,
      "wait for the Job",
    );
    await ask(["wait", "--for=condition=Ready", "nodes", "--all", "--timeout=300s"]);
    assert.match(await ask(["auth", "can-i", "create", "pods"]), /yes/, "auth can-i");
    await assert.rejects(
      ask(["run", "naked", "--image=busybox", "--overrides", '{"spec":{"hostNetwork":true}}']),
      /violates PodSecurity "baseline:latest": host namespaces \(hostNetwork=true\)/,
      "PodSecurity",
    );
    await Promise.all([objects(ask), workloads(ask), definitions(ask), otherKinds(ask), commands(ask, start, folder)]);
    return `${found.split("\n")[0].replace("Client Version: ", "")}: nodes, pods, apply on both sides, patches, rollouts, jobs, logs, wait, describe, drain, CRDs, explain, PodSecurity, exec, cp, attach, port-forward, impersonation, autoscaling, Ingresses`;
  });
}
