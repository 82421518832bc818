import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sameOfLab } from "../talosctl/compare.js";
import { lookAt, seenSoon } from "./client.js";
import { BALANCED, NODES, writeConfig } from "./environment.js";
import { checkInTurn } from "./facts.js";
import { OUTSIDER } from "./network.js";
import { TALOS } from "./sources.js";
import { runIn, talosmith, up } from "./talosmith.js";

const CONTROL_PLANES = NODES.filter(({ role }) => role === "controlplane");
const VOTERS = CONTROL_PLANES.map(({ name }) => ({ name, learner: false }));
const LABELS = { tier: "real" };
/** Where we come from, and where we do not. */
const ADMIN = ["10.99.0.0/24"];
const LOCKED_OUT = ["192.0.2.0/24"];
const TRIAL_MS = 3 * 60_000;
/** A worker that can have a certificate has it within seconds. */
const WORKER_SILENT_MS = 45_000;

/** The life of a cluster of real nodes, each step a fact; `nodes` by name as node.js started them. */
export async function play({ network, nodes, environment, client }) {
  const talosconfig = join(environment, "talosconfig");
  const seenOn = (node) => seenSoon(network, client, node, talosconfig);
  const states = () => [...nodes].filter(([, { state }]) => existsSync(join(state, "config.yaml"))).map(([name]) => name);

  const facts = {
    "maintenance mode answers Talos's client": async () => {
      for (const node of NODES) assert.equal((await seenSoon(network, client, node)).talos, TALOS);
    },

    "doctor finds every machine waiting": async () => {
      writeConfig(environment);
      const { code, said } = await talosmith(network, "doctor", environment);
      assert.equal(code, 0, said);
      for (const { name, address } of NODES) assert.match(said, new RegExp(`${name} waits for its config at ${address}`));
    },

    "a machine without the network card of the config gets no config": async () => {
      writeConfig(environment, { macs: true });
      const { code, errors } = await up(network, environment);
      assert.equal(code, 1);
      assert.ok(
        errors.some((error) => error.code === "WRONG_MACHINE"),
        JSON.stringify(errors),
      );
      assert.deepEqual(states(), []);
    },

    "up configures four nodes, and three control planes vote in etcd": async () => {
      writeConfig(environment);
      allButKubernetes(await up(network, environment));
      assert.deepEqual(
        states(),
        NODES.map(({ name }) => name),
      );
      for (const node of CONTROL_PLANES) assert.deepEqual(byName((await seenOn(node)).members), VOTERS);
    },

    "nodes answer only with our client certificate, the worker with one from trustd": async () => {
      for (const node of NODES) {
        assert.equal((await seenOn(node)).talos, TALOS);
        assert.equal((await lookAt(network, client, node)).seen, undefined, `${node.name} answers anybody`);
      }
      await noChanges(network, environment);
    },

    "labels and a firewall are applied live": async () => {
      const boots = await Promise.all(NODES.map(async (node) => (await seenOn(node)).boot));
      for (const node of NODES) assert.ok(await admits(network, node, OUTSIDER), `${node.name} refuses without a firewall`);
      writeConfig(environment, { labels: LABELS, admin: ADMIN });
      allButKubernetes(await up(network, environment));
      for (const [n, node] of NODES.entries()) {
        const { labels, boot } = await seenOn(node);
        assert.equal(labels.tier, LABELS.tier, node.name);
        assert.equal(boot, boots[n], `${node.name} has restarted`);
        assert.ok(!(await admits(network, node, OUTSIDER)), `${node.name} lets others in`);
      }
      await noChanges(network, environment);
    },

    "a firewall that locks us out is taken back after three minutes, and no other node tries it": async () => {
      writeConfig(environment, { labels: LABELS, admin: LOCKED_OUT });
      const { events, errors } = await up(network, environment, { isOver: (seen) => trials(seen).length > 1 });
      const tried = trials(events);
      assert.ok(
        errors.some((error) => error.code === "CUT_OFF"),
        `no CUT_OFF after ${tried.map(({ what }) => what).join(", ")}: ${JSON.stringify(errors)}`,
      );
      const { step, at } = tried[0];
      const took =
        Date.parse(events.findLast((event) => event.type === "step.finished" && event.step === step).at) - Date.parse(at);
      assert.ok(took >= TRIAL_MS - 1000 && took < TRIAL_MS + 60_000, `the trial took ${took} ms`);
      for (const node of NODES) {
        assert.equal((await seenOn(node)).talos, TALOS);
        assert.ok(!(await admits(network, node, OUTSIDER)), `${node.name} has lost its firewall`);
      }
      writeConfig(environment, { labels: LABELS, admin: ADMIN });
      const back = await up(network, environment);
      allButKubernetes(back);
      assert.deepEqual(trials(back.events), [], "a node had kept the new firewall");
      await noChanges(network, environment);
      assert.equal(tried.length, 1, tried.map(({ what }) => what).join(", "));
    },

    "etcd still has its three voters": async () => {
      assert.deepEqual(byName((await seenOn(CONTROL_PLANES[0])).members), VOTERS);
    },

    "talosctl says of a node of the lab what it says of a real one": () => sameOfLab(network, environment, CONTROL_PLANES[0]),

    "without discovery and behind a load balancer a worker has no certificate before Kubernetes answers": async () => {
      const [controlPlane, worker] = BALANCED;
      const other = join(environment, "../balanced");
      writeConfig(other, { nodes: BALANCED, cluster: { endpoint: OUTSIDER, discovery: false } });
      assert.match(
        (await talosmith(network, "plan", other)).said,
        /nodes learn where the control planes are from Kubernetes only/,
      );
      await up(network, other, { isOver: (seen) => msSince(seen, "bootstrap/etcd") > WORKER_SILENT_MS });
      assert.ok(states().includes(worker.name), "the worker has no config");
      const see = (node) => lookAt(network, client, node, join(other, "talosconfig"));
      assert.deepEqual((await see(controlPlane)).seen?.members, [{ name: controlPlane.name, learner: false }]);
      assert.equal((await see(worker)).seen, undefined, "the worker answers");
    },
  };

  return checkInTurn(facts, [...nodes.values()]);
}

/** `up` did all it could, and was interrupted while it waited for the Kubernetes API. */
function allButKubernetes({ code, errors, stderr }) {
  assert.equal(code, 130, `${JSON.stringify(errors, null, 1)}\n${stderr}`);
}

/** A plan is empty within two minutes: a firewall that was just turned on stalls connections that are older, etcd's among them. */
async function noChanges(network, environment) {
  const end = performance.now() + 120_000;
  for (;;) {
    const { code, said } = await talosmith(network, "plan", environment, "--until", "bootstrap");
    if (code === 0) return;
    assert.ok(performance.now() < end, said);
  }
}

/** Between the end of a step and the last event. */
function msSince(events, step) {
  const end = events.find((event) => event.type === "step.finished" && event.step === step);
  return end === undefined ? 0 : Date.parse(events.at(-1).at) - Date.parse(end.at);
}

/** Configs that were tried, and would be taken back. */
const trials = (events) => events.filter(({ type, what }) => type === "mutation.outcome" && what.startsWith("try the config of"));

const byName = (members = []) => members.sort((a, b) => a.name.localeCompare(b.name));

/** Whether the node's Talos API accepts a connection from this address of the gateway. */
async function admits(network, { address }, from) {
  const connect = `require("node:net").connect({host:"${address}",port:50000,localAddress:"${from}",timeout:2000})
    .on("connect",()=>process.exit(0)).on("error",()=>process.exit(1)).on("timeout",()=>process.exit(1))`;
  return (await runIn(network, [process.execPath, "-e", connect])).code === 0;
}
