import type { Json } from "../../../lib/json.ts";
import { cliProgram, type Subcommands } from "./cli.ts";

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

export const pvesm = cliProgram("pvesm", SUBCOMMANDS);
