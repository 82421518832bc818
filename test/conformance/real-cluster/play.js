import assert from "node:assert/strict";
import { join } from "node:path";
import { seenSoon } from "../talos-node/client.js";
import { checkInTurn } from "../talos-node/facts.js";
import { TALOS } from "../talos-node/sources.js";
import { followed, runIn, talosmith } from "../talos-node/talosmith.js";
import { NODE, writeConfig } from "./environment.js";
import { KUBERNETES_RELEASE } from "./programs.js";

const LABELS = { tier: "real" };
const MAX_PODS = 90;
const PATCH = { machine: { kubelet: { extraConfig: { maxPods: MAX_PODS } } } };

/** The life of a cluster of one real node, each step a fact; `guest` as guest.js started it. */
export async function play({ network, guest, client, folder }) {
  const environment = join(folder, "environment");
  const seen = () => seenSoon(network, client, NODE, join(environment, "talosconfig"));

  const kubernetes = async (...args) => {
    const always = ["--kubeconfig", join(environment, "kubeconfig"), "--cache-dir", join(folder, "kubectl")];
    const { code, said } = await runIn(network, ["kubectl", ...always, ...args, "--output", "json"]);
    assert.equal(code, 0, said);
    return JSON.parse(said);
  };

  const green = async (...command) => {
    const { code, events, errors, stderr } = await followed(network, command);
    assert.equal(code, 0, `${JSON.stringify(errors, null, 1)}\n${bad(events)}\n${stderr}`);
  };

  /** Right after a power cut kube-proxy refuses names for a while: CoreDNS is not back yet, although Kubernetes still has it as ready. */
  const wellWithin = async (ms) => {
    const end = performance.now() + ms;
    for (;;) {
      const { code, said } = await talosmith(network, "verify", environment);
      if (code === 0) return;
      assert.ok(performance.now() < end, said);
    }
  };

  const noChanges = async () => {
    const { code, said } = await talosmith(network, "plan", environment);
    assert.equal(code, 0, said);
  };

  const facts = {
    "maintenance mode answers Talos's client": async () => {
      assert.equal((await seenSoon(network, client, NODE)).talos, TALOS);
    },

    "up makes a cluster and verifies it": async () => {
      writeConfig(environment);
      await green("up", environment, "--yes");
    },

    "the node is Ready, and every pod of Kubernetes with it": async () => {
      const [node, ...others] = (await kubernetes("get", "nodes")).items;
      assert.deepEqual(others, []);
      assert.equal(node.metadata.name, NODE.name);
      assert.equal(node.status.nodeInfo.kubeletVersion, KUBERNETES_RELEASE);
      assert.ok(isTrue(node, "Ready"), JSON.stringify(node.status.conditions, null, 1));
      const pods = (await kubernetes("get", "pods", "--all-namespaces")).items;
      for (const pod of pods) assert.ok(isTrue(pod, "Ready"), `${pod.metadata.name}: ${JSON.stringify(pod.status, null, 1)}`);
      const names = pods.map(({ metadata }) => metadata.name).join(" ");
      for (const name of ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "coredns"])
        assert.match(names, new RegExp(name));
    },

    "the second plan is empty": noChanges,

    "a label and a patch are applied live": async () => {
      const { boot } = await seen();
      writeConfig(environment, { labels: LABELS, patch: PATCH });
      await green("up", environment, "--yes");
      const { metadata, status } = await kubernetes("get", "node", NODE.name);
      assert.equal(metadata.labels.tier, LABELS.tier);
      assert.equal(status.capacity.pods, String(MAX_PODS));
      assert.equal((await seen()).boot, boot, "it has restarted");
      await noChanges();
    },

    "a power cut changes nothing": async () => {
      const { boot } = await seen();
      await guest.cutPower();
      assert.notEqual((await seen()).boot, boot);
      await wellWithin(10 * 60_000);
      await noChanges();
    },

    "down asks for a reset, which container mode refuses": async () => {
      const { boot } = await seen();
      const { code, errors } = await followed(network, ["down", environment, "--yes"]);
      assert.equal(code, 1);
      assert.match(JSON.stringify(errors), /volume .*STATE.* is not located/);
      assert.equal((await seen()).boot, boot);
      await noChanges();
    },
  };

  return checkInTurn(facts, [guest]);
}

const isTrue = ({ status }, type) => status.conditions?.find((condition) => condition.type === type)?.status === "True";

/** Findings of checks that are not well. */
function bad(events) {
  const findings = events.flatMap(({ finding }) => (finding && finding.level !== "ok" ? [finding] : []));
  return JSON.stringify(findings, null, 1);
}
