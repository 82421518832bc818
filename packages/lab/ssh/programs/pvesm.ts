import type { Json } from "@talosmith/lib/json.ts";
import { SimulatedError } from "../../proxmox/refusal.ts";
import { releaseOf } from "../../proxmox/release.ts";
import type { ProxmoxState } from "../../proxmox/state.ts";
import { storageNamed, volumePath } from "../../proxmox/storage/storages.ts";
import { parseVolumeId, parseVolumeName } from "../../proxmox/storage/volume-id.ts";
import { cliProgram, type Subcommands } from "./cli.ts";
import { type Ended, failed, look, type Program, printed } from "./program.ts";

/** Columns of pvesm's own, in KiB. */
function status(data: Json): string {
  const rows = [...(data as Record<string, Json>[])].sort((one, other) => (String(one.storage) < String(other.storage) ? -1 : 1));
  const width = Math.max(0, ...rows.map((row) => String(row.storage).length)) + 1;
  const line = (name: string, ...cells: string[]) =>
    `${name.padEnd(width)} ${cells.map((cell, index) => cell.padStart([10, 10, 15, 15, 15, 8][index] ?? 0)).join(" ")}\n`;
  const kib = (value: Json | undefined) => String(Math.floor(Number(value ?? 0) / 1024));
  const lines = rows.map((row) => {
    const share = Number(row.total) > 0 ? (Number(row.used) * 100) / Number(row.total) : 0;
    const state = !row.enabled ? "disabled" : row.active ? "active" : "inactive";
    const percent = row.enabled ? `${share.toFixed(2)}%` : "N/A";
    return line(String(row.storage), String(row.type), state, kib(row.total), kib(row.used), kib(row.avail), percent);
  });
  return line("Name", "Type", "Status", "Total (KiB)", "Used (KiB)", "Available (KiB)", "%") + lines.join("");
}

function volumes(data: Json): string {
  const rows = (data as Record<string, Json>[]).map((row) =>
    ["volid", "format", "content", "size", "vmid"].map((key) => String(row[key] ?? "")),
  );
  const all = [["Volid", "Format", "Type", "Size", "VMID"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" ")}\n`).join("");
}

/** PVE::CLI::pvesm. */
const SUBCOMMANDS: Subcommands = {
  add: { verb: "POST", path: "/storage", arguments: ["type", "storage"] },
  set: { verb: "PUT", path: "/storage/:storage", arguments: ["storage"] },
  remove: { verb: "DELETE", path: "/storage/:storage", arguments: ["storage"] },
  status: { verb: "GET", path: "/nodes/:node/storage", arguments: [], print: status },
  list: { verb: "GET", path: "/nodes/:node/storage/:storage/content", arguments: ["storage"], print: volumes },
  free: {
    verb: "DELETE",
    path: "/nodes/:node/storage/:storage/content/:volume",
    arguments: ["volume"],
    asParameters: ({ volume, ...rest }) => ({ ...rest, volume: String(volume), storage: String(volume).split(":")[0] ?? "" }),
  },
  alloc: {
    verb: "POST",
    path: "/nodes/:node/storage/:storage/content",
    arguments: ["storage", "vmid", "filename", "size"],
    print: (volume) => `successfully created '${String(volume)}'\n`,
  },
};

const plain = cliProgram("pvesm", SUBCOMMANDS);

/** Of the interface for plugins: APIVER and APIAGE of the last pve-storage of each line. */
const PLUGINS = { 8: [11, 2], 9: [15, 6] } as const;

/** Two that are no methods of the API. */
export const pvesm: Program = (started) => {
  const [word, volume = ""] = started.args;
  if (word === "apiinfo") {
    const [version, age] = PLUGINS[look(started, ({ proxmox }) => releaseOf(proxmox).major)];
    return printed(`APIVER ${version}\nAPIAGE ${age}\n`);
  }
  return word === "path" ? look(started, ({ proxmox }) => pathOfVolume(proxmox, volume)) : plain(started);
};

/** Where it lies, or would: whether it does is not looked at. */
function pathOfVolume(state: ProxmoxState, volume: string): Ended {
  const id = parseVolumeId(volume);
  if (!id) return failed(255, `unable to parse volume ID '${volume}'\n`);
  try {
    const storage = storageNamed(state, id.storage);
    return printed(`${volumePath(storage, { content: parseVolumeName(storage, id.name).content, name: id.name })}\n`);
  } catch (error) {
    if (error instanceof SimulatedError) return failed(255, `${error.message}\n`);
    throw error;
  }
}
