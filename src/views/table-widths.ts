/** The space between two columns, and where columns would have to be left out for it. */
const GAP = 3;
const NARROW_GAP = 2;
/** Longer text is shortened to this before a column is left out. */
const LEGIBLE = 28;
const NARROWEST = 6;

interface Sized {
  key: string;
  title: string;
  width: number;
  cells: readonly { level: string }[];
}

/** Fits columns into a terminal: closer together, then without the least important ones, those with marked cells last, then shortened. */
export function fitted<C extends Sized>(
  all: readonly C[],
  leaveOut: readonly string[],
  room: number | undefined,
): { kept: C[]; gap: number; leftOut: C[] } {
  if (room === undefined) return { kept: [...all], gap: GAP, leftOut: [] };
  const gap = leaveOut.length > 0 ? NARROW_GAP : GAP;
  const candidates = leaveOut.flatMap((key) => all.filter((column) => column.key === key));
  let kept = [...all];
  for (const next of [...candidates.filter((one) => !isMarked(one)), ...candidates.filter(isMarked)]) {
    if (fits(kept, gap, room)) break;
    kept = kept.filter((column) => column !== next);
  }
  const widest = fits(kept, GAP, room) ? GAP : gap;
  const widths = kept.map(({ width }) => width);
  shrink(widths, room - widest * (widths.length - 1));
  return {
    kept: kept.map((column, at) => ({ ...column, width: widths[at] ?? 0 })),
    gap: widest,
    leftOut: all.filter((column) => !kept.includes(column)),
  };
}

export function isMarked({ cells }: Pick<Sized, "cells">): boolean {
  return cells.some(({ level }) => level !== "ok");
}

function fits(columns: readonly Sized[], gap: number, room: number): boolean {
  return columns.reduce((sum, { width }) => sum + Math.min(width, LEGIBLE) + gap, -gap) <= room;
}

/** Shrinks the widest column, one by one, until all fit or all have their minimum width. */
function shrink(widths: number[], room: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return;
    const next = Math.max(NARROWEST, ...widths.filter((width) => width < widest));
    const sharers = widths.filter((width) => width === widest).length;
    const each = Math.max(1, Math.min(widest - next, Math.ceil(excess / sharers)));
    for (const [index, width] of widths.entries()) {
      if (width !== widest || excess <= 0) continue;
      widths[index] = width - each;
      excess -= each;
    }
  }
}
