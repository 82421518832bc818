// A lab with two control planes and a worker in maintenance mode, and a client that nobody here wrote: `play.mjs ORACLE`.
import { stringify } from "yaml";
import { TalosBench } from "../../../src/lab/talos/testing/bench.ts";
// @ts-expect-error: plain JavaScript, which says nothing about its types.
import { execute } from "../execute.js";

const [oracle = ""] = process.argv.slice(2);
const MACHINES = [
  { vmid: 101, last: 11, name: "cp-1", role: "controlplane" },
  { vmid: 102, last: 12, name: "cp-2", role: "controlplane" },
  { vmid: 201, last: 21, name: "worker-1", role: "worker" },
] as const;

const base64 = (text: string) => Buffer.from(text).toString("base64");

const bench = await TalosBench.open({ timeScale: 200 });
try {
  const cluster = bench.cluster();
  const machines = [];
  for (const { vmid, last, name, role } of MACHINES) {
    const address = await bench.machine(vmid, last);
    const { hardware } = await bench.eventually(() => bench.state.machines[`vm ${vmid}`] ?? Promise.reject(new Error("not on")));
    machines.push({
      address,
      uuid: hardware.uuid,
      mac: hardware.links[0]?.mac,
      name,
      worker: role === "worker",
      config: cluster.config(role, name),
    });
  }
  const { ca, certificate, key } = cluster.client();
  const context = {
    endpoints: [],
    ca: base64(ca),
    crt: base64(certificate),
    key: base64(key.replaceAll("PRIVATE KEY", "ED25519 PRIVATE KEY")),
  };
  const talosconfig = stringify({ context: "test", contexts: { test: context } });
  console.log(await execute(oracle, [], { input: JSON.stringify({ talosconfig, machines }) }));
} finally {
  await bench.close();
}
