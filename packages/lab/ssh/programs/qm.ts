import type { Json } from "@talosmith/lib/json.ts";
import { SimulatedError } from "../../proxmox/refusal.ts";
import { proxmoxState } from "../../proxmox/state.ts";
import { callAsRoot } from "./api.ts";
import { cliProgram, type Subcommands } from "./cli.ts";
import { importDisk } from "./import-disk.ts";
import { done, type Ended, failed, type Program, printed, type Started } from "./program.ts";

const WORKER_MS = 200;

function list(data: Json): string {
  const rows = [...(data as Record<string, Json>[])].sort((one, other) => Number(one.vmid) - Number(other.vmid));
  if (rows.length === 0) return "";
  const line = (...[vmid = "", name = "", status = "", memory = "", disk = "", pid = ""]: string[]) =>
    `${vmid.padStart(10)} ${name.padEnd(20)} ${status.padEnd(10)} ${memory.padEnd(10)} ${disk.padStart(12)} ${pid.padEnd(10)}\n`;
  const lines = rows.map((row) =>
    line(
      String(row.vmid),
      String(row.name ?? ""),
      String(row.status),
      String(Number(row.maxmem ?? 0) / 1024 ** 2),
      (Number(row.maxdisk ?? 0) / 1024 ** 3).toFixed(2),
      String(row.pid ?? 0),
    ),
  );
  return line("VMID", "NAME", "STATUS", "MEM(MB)", "BOOTDISK(GB)", "PID") + lines.join("");
}

function config(data: Json): string {
  const entries = Object.entries(data as Record<string, Json>).filter(([key]) => key !== "digest");
  return entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}: ${key === "description" ? encodeURIComponent(String(value)) : String(value)}\n`)
    .join("");
}

const AT = "/nodes/:node/qemu/:vmid";
const VM = ["vmid"];

/** PVE::CLI::qm, as far as the repair of a machine needs it. */
const SUBCOMMANDS: Subcommands = {
  list: { verb: "GET", path: "/nodes/:node/qemu", arguments: [], print: list },
  config: { verb: "GET", path: `${AT}/config`, arguments: VM, print: config },
  set: { verb: "PUT", path: `${AT}/config`, arguments: VM },
  status: {
    verb: "GET",
    path: `${AT}/status/current`,
    arguments: VM,
    print: (data) => `status: ${String((data as Record<string, Json>).status)}\n`,
  },
};

const WORKERS: Subcommands = {
  create: { verb: "POST", path: "/nodes/:node/qemu", arguments: VM, prints: true },
  destroy: { verb: "DELETE", path: AT, arguments: VM, prints: true },
  start: { verb: "POST", path: `${AT}/status/start`, arguments: VM, prints: true },
  stop: { verb: "POST", path: `${AT}/status/stop`, arguments: VM, prints: true },
  shutdown: { verb: "POST", path: `${AT}/status/shutdown`, arguments: VM, prints: true },
  template: { verb: "POST", path: `${AT}/template`, arguments: VM, prints: true },
  "disk move": { verb: "POST", path: `${AT}/move_disk`, arguments: ["vmid", "disk"], optional: ["storage"], prints: true },
};

const plain = cliProgram("qm", { ...SUBCOMMANDS, ...WORKERS });

/** What the API leaves to a task is waited for: the program is the worker, and its log is what it prints. */
export const qm: Program = async (started) => {
  const [word = "", vmid = ""] = started.args;
  if (word === "unlock") return unlock(started, vmid);
  if (word === "importdisk") return importDisk(started, started.args.slice(1));
  if (word === "disk" && vmid === "import") return importDisk(started, started.args.slice(2));
  const ended = await plain(started);
  const command = word === "disk" ? `${word} ${vmid}` : word;
  if (!Object.hasOwn(WORKERS, command) || ended.code !== 0) return ended;
  return worker(started, ended.stdout.trim());
};

/** Removes a lock without any check; only root may. */
function unlock({ lab, host }: Started, vmid: string): Ended {
  return lab.turn(() => {
    const vm = proxmoxState(lab).vms[vmid];
    if (!vm || vm.node !== host) return failed(2, `Configuration file 'nodes/${host}/qemu-server/${vmid}.conf' does not exist\n`);
    delete vm.config.lock;
    delete vm.pending.lock;
    return done;
  });
}

async function worker({ lab, host }: Started, upid: string): Promise<Ended> {
  const at = `/nodes/${upid.split(":")[1] ?? host}/tasks/${upid}`;
  for (;;) {
    try {
      const status = (await callAsRoot(lab, host, "GET", `${at}/status`, {})) as Record<string, Json>;
      if (status.status !== "stopped") {
        await lab.sleep(WORKER_MS);
        continue;
      }
      const lines = (await callAsRoot(lab, host, "GET", `${at}/log`, { limit: "0" })) as { t: string }[];
      const said = lines.filter(({ t }) => !t.startsWith("TASK ") && t !== "no content").map(({ t }) => `${t}\n`);
      const ok = status.exitstatus === "OK" || /^WARNINGS: \d+$/.test(String(status.exitstatus));
      return ok ? printed(said.join("")) : failed(255, `${String(status.exitstatus)}\n`, said.join(""));
    } catch (error) {
      if (error instanceof SimulatedError) return failed(255, `${error.message}\n`);
      throw error;
    }
  }
}
