import type { Fault, FaultRule, KnownRefusal, Recorded, RunningLab } from "@talosmith/lab/kernel/kernel.ts";

/** A fault as the report names it. */
export interface PlannedFault {
  call: string;
  fault: string;
}

/**
 * Chooses calls of an undisturbed run by a seed and breaks each once: the connection is cut before or after the call takes effect, its answer comes late or
 * in pieces, or the service refuses it with an error that it documents.
 */
export async function chooseFaults(
  lab: Pick<RunningLab, "refusals">,
  calls: readonly Recorded[],
  count: number,
  seed: string,
): Promise<FaultRule[]> {
  const { chance } = await import("@talosmith/lab/kernel/chance.ts");
  const seen = new Map<string, { service: string; site: string; resource: string; occurrence: number }>();
  for (const { inside, service, site, resource } of calls) {
    const occurrence = 1 + [...Array(REPEATED).keys()].filter((n) => seen.has(keyOf(service, site, resource, n + 1))).length;
    if (!inside && occurrence <= REPEATED)
      seen.set(keyOf(service, site, resource, occurrence), { service, site, resource, occurrence });
  }
  const drawn = [...seen].map(([key, site]) => ({ key, site, order: chance(seed, "call", key) }));
  const chosen = drawn.sort((a, b) => a.order - b.order).slice(0, count);
  const refusals = lab.refusals();
  return chosen.map(({ key, site }) => ({
    ...site,
    fault: anyFault((of, below) => Math.floor(chance(seed, of, key) * below), Object.values(refusals[site.service] ?? {})),
  }));
}

/** Later ones are repetitions of a wait, and how many there are depends on time. */
const REPEATED = 2;

const keyOf = (...of: (string | number)[]) => JSON.stringify(of);

function anyFault(number: (of: string, below: number) => number, refusals: readonly KnownRefusal[]): Fault {
  const refusal = refusals[number("refusal", refusals.length)];
  const all: Fault[] = [
    { kind: "cut-before" },
    { kind: "cut-after" },
    { kind: "delay", ms: 1_000 + number("delay", 60_000) },
    { kind: "drip", bytes: 1 + number("drip", 50) },
    ...(refusal ? [{ kind: "refuse", status: refusal.status, message: refusal.message } as const] : []),
  ];
  return all[number("fault", all.length)] ?? { kind: "cut-before" };
}

/** The faults that were met, in words. */
export function metFaults(lab: Pick<RunningLab, "faultCounts">): PlannedFault[] {
  return lab.faultCounts().flatMap(({ rule, fired }) => {
    if (fired === 0) return [];
    const { service = "", site = "", resource = "", fault } = rule;
    return [
      {
        call: `${service}: ${site} ${resource}`.trim(),
        fault: fault.kind === "refuse" ? `refused: ${fault.message}` : fault.kind,
      },
    ];
  });
}
