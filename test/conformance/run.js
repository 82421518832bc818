// Asks clients and code that nobody here wrote whether what the lab plays and what we generate are right. See README.md.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { age } from "./age/part.js";
import { apiServer } from "./api-server/part.js";
import { backup } from "./backup/part.js";
import { bolt } from "./bolt/part.js";
import { cached, compileNothing } from "./cache.js";
import { charts } from "./charts/part.js";
import { configurations } from "./configurations/part.js";
import { curl } from "./curl.js";
import { disk } from "./disk/part.js";
import { fields } from "./fields/part.js";
import { helm } from "./helm/part.js";
import { hetzner } from "./hetzner/part.js";
import { filesBelow, inputsOf } from "./inputs.js";
import { kubectl } from "./kubectl.js";
import { withLab, withReleases } from "./lab.js";
import { labValidation } from "./lab-validation/part.js";
import { machineConfig } from "./machine-config/part.js";
import { newerNode } from "./newer-node.js";
import { patches } from "./patches/part.js";
import { ansible } from "./proxmox-ansible/part.js";
import { proxmoxer } from "./proxmoxer/part.js";
import { realCluster } from "./real-cluster/part.js";
import { schematics } from "./schematic/part.js";
import { secrets } from "./secrets/part.js";
import { Skipped } from "./skipped.js";
import { sshClient } from "./ssh/client.js";
import { sshServer } from "./ssh/server.js";
import { takeover } from "./takeover/part.js";
import { talosClient } from "./talos-client/part.js";
import { talosNode } from "./talos-node/part.js";
import { talosctl } from "./talosctl/part.js";

/** It starts Python anew for every task, so it asks both releases only when all is asked (FULL=1). proxmoxer, on which it is built, always does. */
const ANSIBLE_ON = process.env.FULL === undefined ? ["9.2"] : undefined;

const { values, positionals } = parseArgs({ options: { turn: { type: "boolean" } }, allowPositionals: true });
/** Names of parts, as "api-server", or of a group: only these. A part that is asked for by name does all that it can. */
const ONLY = positionals;
const TURNS = 5;
/** --turn: of the parts that have not passed with the same sources on this machine a fifth, another one after another commit, without those that would compile a program. For CI, whose machine may have no caches. */
const TURN = values.turn ? Number(process.env.PROPERTY_SEED ?? 0) % TURNS : undefined;
if (values.turn) compileNothing();
const key = (name) => name.toLowerCase().replaceAll(" ", "-");

/** Half a minute once it is built, a quarter of an hour before: more than somebody who waits for everything else has. */
async function realApiServer(own) {
  if (ONLY.includes("api-server") || process.env.FULL !== undefined)
    return apiServer(own, { whole: ONLY.includes("api-server") });
  throw new Skipped("npm run conformance -- api-server asks it; the last result is in docs/reference/conformance.md");
}

/** Minutes once it is built, half an hour before. */
async function realTalosNode(own) {
  if (ONLY.includes("talos-node") || process.env.FULL !== undefined) return talosNode(own, { make: ONLY.includes("talos-node") });
  throw new Skipped("npm run conformance -- talos-node asks it; the last result is in docs/reference/conformance.md");
}

/** Minutes once it is built, three quarters of an hour before. */
async function realKubernetes(own) {
  if (ONLY.includes("real-cluster") || process.env.FULL !== undefined)
    return realCluster(own, { make: ONLY.includes("real-cluster") });
  throw new Skipped("npm run conformance -- real-cluster asks it; the last result is in docs/reference/conformance.md");
}

/** What a part depends on, besides programs of others, when it asks the whole program. */
const INPUTS = ["src", "packages", "test/conformance", "test/oracles", "test/support"];
/** A part that asks a lab alone. */
const labIn = (folder) => ({ folder, entries: ["src/cli/lab.ts"] });

/** What the lab refuses is recorded beside it. */
const REFUSALS = { folder: "lab-validation", also: ["packages/lab/talos/config", "src/talos/config/testdata"] };

/** Dependencies: another version of one is another input. */
const LOCKED = readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8");

/** Runs a part unless it has passed already with the same files; asked for by name, or with FULL=1, it always runs. */
async function oncePassed(name, place, inputs, work) {
  if (ONLY.length > 0 || process.env.FULL !== undefined) return work();
  let said;
  const files = Array.isArray(inputs) ? filesBelow(inputs) : await inputsOf(inputs);
  const passed = await cached(`passed-${key(name)}`, [LOCKED, ...files], async (half) => {
    if (TURN !== undefined && place % TURNS !== TURN)
      throw new Skipped("another commit's turn; npm run conformance asks every part");
    said = String(await work());
    mkdirSync(half);
    writeFileSync(join(half, "said"), said);
  });
  return said ?? `with the same files before: ${readFileSync(join(passed, "said"), "utf8")}`;
}

const counts = { passed: 0, failed: 0, skipped: 0 };

async function part(name, work) {
  const started = performance.now();
  const { outcome, said } = await work().then(
    (what) => ({ outcome: "passed", said: what }),
    (error) => {
      if (error instanceof Skipped) return { outcome: "skipped", said: error.message };
      return { outcome: "failed", said: error instanceof Error ? error.message : String(error) };
    },
  );
  counts[outcome]++;
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
  console.log(`${name.padEnd(24)} ${seconds} s  ${outcome}${said ? `: ${said}` : ""}`);
}

/** One part after the other, each with a folder of its own. */
async function inTurn(...parts) {
  const asked = parts.filter(([group, name]) => ONLY.length === 0 || ONLY.includes(group) || ONLY.includes(key(name)));
  for (const [place, [, name, work, inputs = INPUTS]] of asked.entries())
    await part(name, () => oncePassed(name, place, inputs, () => work(join(folder, name.replaceAll(" ", "-")))));
}

const folder = mkdtempSync(join(tmpdir(), "talosmith-conformance-"));
try {
  // Three at a time, each lane about as long as the others: judges compute, clients wait for a lab as much as they work.
  await Promise.all([
    inTurn(
      ["judges", "Talos machine configs", machineConfig, { folder: "machine-config", also: ["src/talos/config/testdata"] }],
      ["judges", "Talos configurations", configurations, { folder: "configurations", also: ["test/oracles/machine-config"] }],
      ["judges", "Talos machinery", secrets, { folder: "secrets" }],
      ["judges", "Talos fields", fields, { folder: "fields" }],
      ["judges", "schematic ids", schematics, { folder: "schematic" }],
      ["judges", "age", age, { folder: "age" }],
      ["judges", "bbolt", bolt, { folder: "bolt" }],
    ),
    inTurn(
      ["clients", "proxmoxer", (own) => proxmoxer((play) => withReleases(own, play)), labIn("proxmoxer")],
      ["clients", "curl", (own) => curl((play) => withLab(own, play)), labIn("")],
      ["clients", "OpenSSH client", (own) => sshClient(own, (play) => withLab(own, play)), labIn("ssh")],
      ["clients", "OpenSSH server", sshServer],
      ["clients", "kubectl", kubectl],
      ["clients", "helm", helm],
      ["clients", "backup", backup],
      ["clients", "newer Node", newerNode, [...INPUTS, "build", "release"]],
      ["judges", "charts", charts, { folder: "charts", also: ["test/conformance/helm", "test/oracles/helm"] }],
      ["judges", "disk", disk, { folder: "disk" }],
      ["judges", "Talos patches", patches, { folder: "patches" }],
    ),
    inTurn(
      ["clients", "API server", realApiServer],
      ["clients", "Talos client", talosClient, { folder: "talos-client", also: ["packages/wire"] }],
      ["clients", "Talos node", realTalosNode],
      ["clients", "talosctl", (own) => talosctl(own, { make: ONLY.includes("talosctl") })],
      ["clients", "real cluster", realKubernetes],
      ["clients", "hetzner", hetzner, { folder: "hetzner" }],
      ["clients", "Ansible", (own) => ansible(own, (play) => withReleases(own, play, ANSIBLE_ON)), labIn("proxmox-ansible")],
      // It asks an SSH server of the machine, and no lab.
      ["judges", "takeover", takeover, { folder: "takeover" }],
      ["judges", "Talos refusals", labValidation, REFUSALS],
    ),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;
