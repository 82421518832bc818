// Asks clients and code that nobody here wrote whether the lab's Proxmox and what we generate are right. See README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { curl } from "./curl.js";
import { kubectl } from "./kubectl.js";
import { withLab } from "./lab.js";
import { machineConfig } from "./machine-config/part.js";
import { proxmoxer } from "./proxmoxer/part.js";
import { schematics } from "./schematic/part.js";
import { secrets } from "./secrets/part.js";
import { Skipped } from "./skipped.js";
import { sshClient } from "./ssh/client.js";
import { sshServer } from "./ssh/server.js";
import { talosClient } from "./talos-client/part.js";

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

const folder = mkdtempSync(join(tmpdir(), "talosmith-conformance-"));
try {
  // The oracle is built while the clients talk to the lab; each client has the lab for itself.
  await Promise.all([
    part("Talos machinery", () => secrets(join(folder, "secrets"))).then(() =>
      part("Talos machine configs", () => machineConfig(join(folder, "machine-config"))).then(() =>
        part("Talos client", () => talosClient(join(folder, "talos-client"))),
      ),
    ),
    part("proxmoxer", () => proxmoxer((play) => withLab(join(folder, "proxmoxer"), play))).then(() =>
      part("curl", () => curl((play) => withLab(join(folder, "curl"), play))),
    ),
    part("OpenSSH client", () => sshClient(join(folder, "ssh"), (play) => withLab(join(folder, "ssh"), play))).then(() =>
      part("OpenSSH server", () => sshServer(join(folder, "sshd"))),
    ),
    part("kubectl", () => kubectl(join(folder, "kubectl"))),
    part("schematic ids", () => schematics(join(folder, "schematic"))),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;
