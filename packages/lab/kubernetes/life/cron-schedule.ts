const NAMED: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const MINUTE = 60_000;
/** More than four years: every possible date occurs in that time. */
const FARTHEST_DAYS = 1500;

/** The next time of a cron schedule after a time, in UTC; undefined when there is no such time. */
export function nextTime(schedule: string, after: number): number | undefined {
  const fields = (NAMED[schedule.trim()] ?? schedule).trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minutes, hours, days, months, weekdays] = [
    valuesIn(fields[0], 0, 59),
    valuesIn(fields[1], 0, 23),
    valuesIn(fields[2], 1, 31),
    valuesIn(fields[3], 1, 12),
    new Set([...valuesIn(fields[4], 0, 7)].map((day) => day % 7)),
  ];
  // When both kinds of days are given, either may match.
  const either = fields[2] !== "*" && fields[4] !== "*";
  const isDay = (date: Date) => {
    const [byDate, byWeek] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    return months.has(date.getUTCMonth() + 1) && (either ? byDate || byWeek : byDate && byWeek);
  };
  const start = (Math.floor(after / MINUTE) + 1) * MINUTE;
  const midnight = Math.floor(start / (24 * 60 * MINUTE)) * 24 * 60 * MINUTE;
  for (let day = 0; day < FARTHEST_DAYS; day++) {
    const begin = midnight + day * 24 * 60 * MINUTE;
    if (!isDay(new Date(begin))) continue;
    for (const hour of [...hours].sort(ascending)) {
      for (const minute of [...minutes].sort(ascending)) {
        const at = begin + (hour * 60 + minute) * MINUTE;
        if (at >= start) return at;
      }
    }
  }
  return undefined;
}

const ascending = (a: number, b: number) => a - b;

function valuesIn(field = "*", lowest: number, highest: number): Set<number> {
  const values = field.split(",").flatMap((part) => {
    const [range = "*", step] = part.split("/");
    const [from, to] = range === "*" ? [lowest, highest] : range.split("-").map(Number);
    const first = from ?? lowest;
    const last = to ?? (step === undefined ? first : highest);
    const result: number[] = [];
    for (let value = first; value <= last; value += Number(step ?? 1) || 1) result.push(value);
    return result;
  });
  return new Set(values);
}
