/** Sizes as people write them: 8GiB, 512 MiB, 1.5TiB. */

const MIB_IN = new Map([
  ["mi", 1],
  ["gi", 1024],
  ["ti", 1024 * 1024],
]);

export type ParsedSize = { ok: true; mib: number } | { ok: false; says: string; hint: string };

/**
 * Parses a size in an unambiguous unit: MiB, GiB or TiB, with or without the B. G and GB are refused, since they mean 1000³ to some and 1024³ to
 * others; a plain number is refused, since memory would be in MiB and disks in GiB.
 */
export function parseSize(text: string): ParsedSize {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) return { ok: false, says: "is not a size", hint: "write a number and a unit, such as 8GiB or 512MiB" };
  const [, number = "", unit = ""] = match;
  if (unit === "") return { ok: false, says: "has no unit", hint: `write ${number}GiB or ${number}MiB` };
  const factor = MIB_IN.get(unit.toLowerCase().replace(/b$/, ""));
  if (factor === undefined) return { ok: false, says: `has the unit ${unit}`, hint: otherUnit(number, unit) };
  const mib = Number(number) * factor;
  if (!Number.isSafeInteger(mib))
    return { ok: false, says: "is not a whole number of MiB", hint: "write it in MiB, without a fraction" };
  if (mib === 0) return { ok: false, says: "is zero", hint: "write a size, such as 8GiB" };
  return { ok: true, mib };
}

function otherUnit(number: string, unit: string): string {
  const letter = /^([mgt])b?$/i.exec(unit)?.[1]?.toUpperCase();
  if (letter === undefined) return "use MiB, GiB or TiB";
  return `write ${number}${letter}iB (1024-based); ${unit} could also be meant 1000-based`;
}

/** Formats 8 GiB, 1.5 GiB, 512 MiB: in the largest unit that needs at most one decimal. */
export function formatMiB(mib: number): string {
  for (const [unit, factor] of [
    ["TiB", 1024 * 1024],
    ["GiB", 1024],
  ] as const)
    if (mib >= factor && Number.isInteger((mib / factor) * 10)) return `${mib / factor} ${unit}`;
  return `${mib} MiB`;
}
