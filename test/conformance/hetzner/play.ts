// The lab's rented servers and their provider's API, and a client that nobody here wrote: `play.mjs ORACLE`.
import { routes } from "@talosmith/lab/hetzner/routes.ts";
import { RENTED, rentedServers } from "@talosmith/lab/host/services.ts";
import type { FaultRule } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
// @ts-expect-error: plain JavaScript, which says nothing about its types.
import { execute } from "../execute.js";

const [oracle = ""] = process.argv.slice(2);

/** Slow enough to be asked while something is under way: the shortest action takes a tenth of a second. */
const TIME_SCALE = 20;

const servers = RENTED.map(({ name }) => name);
const broken = servers.at(-1) ?? "";
const message = "the host does not answer";

const POWEROFF = { site: "POST /v1/servers/:id/actions/poweroff", resource: `server ${broken}` };

/** What goes wrong once. Its client asks again after a 409 and a 429, if it understands them. */
const FAULTS: readonly FaultRule[] = [
  { service: "hetzner", ...POWEROFF, occurrence: 1, fault: { kind: "task-error", message } },
  { service: "hetzner", site: "POST /v1/ssh_keys", occurrence: 1, fault: { kind: "refuse", status: 409, message: "busy" } },
  { service: "hetzner", site: "GET /v1/firewalls", occurrence: 1, fault: { kind: "refuse", status: 429, message: "slowly" } },
];

/** The client asks for actions by their ids alone. */
const NEVER_ASKED = ["GET /v1/servers/:id/actions/:action", "GET /v1/firewalls/:id/actions/:action"];

const lab = await createLab(realWorld({ timeScale: 1 }), {
  seed: "conformance",
  timeScale: TIME_SCALE,
  services: rentedServers(),
});
try {
  await lab.start();
  lab.setFaults(FAULTS);
  const { url, token } = lab.published().hetzner ?? {};
  const input = JSON.stringify({ url, token, servers, broken, message });
  const said = await execute(oracle, [], { input, timeout: 1_800_000 });
  const calls = lab.recorder.calls().filter(({ service }) => service === "hetzner");
  const asked = new Set(calls.map(({ site }) => site));
  const sites = routes.map(({ method, pattern }) => `${method} ${pattern}`);
  const unasked = sites.filter((site) => !asked.has(site));
  if (unasked.join() !== NEVER_ASKED.join()) throw new Error(`the client never asked for ${unasked.join(", ")}`);
  const unknown = [...asked].filter((site) => !sites.includes(site));
  if (unknown.length > 0) throw new Error(`the client asked for what the lab does not have: ${unknown.join(", ")}`);
  const met = calls.flatMap(({ fault }) => fault ?? []);
  if (met.length !== FAULTS.length) throw new Error(`${FAULTS.length} calls were to go wrong, and ${met.length} did`);
  console.log(`${said.trim()}, ${calls.length} calls of ${asked.size} kinds`);
} finally {
  await lab.close();
}
