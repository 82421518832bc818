import { formatMiB, parseSize } from "@talosmith/lib/units.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { CPU_TYPES_TOO_OLD, MACHINE_NEEDS } from "../../../../catalog/machine-needs.ts";
import type { Role } from "../../../../config/config.ts";
import type { Report } from "../../../../config/report.ts";
import type { ProxmoxPool } from "../draft.ts";
import type { ProxmoxCheck } from "./check.ts";

/** Checks that machines meet Talos's requirements. The defaults do. */
export const machines: ProxmoxCheck = ({ pools }, report) => {
  for (const pool of pools) {
    tooOld(pool, report);
    if (pool.role !== undefined) tooSmall(pool, pool.role, report);
  }
};

function tooSmall(pool: ProxmoxPool, role: Role, report: Report): void {
  const { cores, sockets = 1, memory, disk } = pool.settings;
  const { minimum, recommended } = MACHINE_NEEDS[role];
  const measure = (key: string, value: number | undefined, least: number, better: number, show: (value: number) => string) => {
    if (value === undefined || value >= better) return;
    const path = pool.origin(key);
    const who = role === "controlplane" ? "a control plane" : "a worker";
    if (value < least) report.problem(path, below(path, `less than ${who} needs`, show(least)));
    else report.warn(path, below(path, `less than is recommended for ${who}`, show(better)));
  };
  measure("cores", cores && cores * sockets, minimum.cores, recommended.cores, String);
  measure("memory", mib(memory), minimum.memoryMiB, recommended.memoryMiB, formatMiB);
  measure("disk", mib(disk), minimum.diskGiB * 1024, recommended.diskGiB * 1024, formatMiB);
}

function below(path: Path, says: string, least: string) {
  const written = least.replace(" ", "");
  return { message: `${pathName(path)} is ${says}`, hint: `use at least ${written}`, remark: `at least ${written}` };
}

function mib(size: string | undefined): number | undefined {
  const parsed = size === undefined ? undefined : parseSize(size);
  return parsed?.ok ? parsed.mib : undefined;
}

function tooOld(pool: ProxmoxPool, report: Report): void {
  const { cpu } = pool.settings;
  if (cpu === undefined || !CPU_TYPES_TOO_OLD.some((old) => old.toLowerCase() === cpu.toLowerCase())) return;
  const path = pool.origin("cpu");
  report.problem(path, {
    message: `${pathName(path)} ${cpu} is too old for Talos`,
    hint: "use host, or x86-64-v2-AES when machines move between different hosts",
    remark: "Talos needs x86-64-v2 or newer",
  });
}
