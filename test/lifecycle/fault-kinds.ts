import type { Call, Fault, KnownRefusal } from "@talosmith/lab/kernel/kernel.ts";

export interface FaultKind {
  name: string;
  fault: Fault;
}

const kind = (name: string, fault: Fault): FaultKind => ({ name, fault });

const LOCKED = "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout";

/** Network faults, for every service. */
const ON_EVERY_CALL: readonly FaultKind[] = [
  kind("cut before it took effect", { kind: "cut-before" }),
  kind("answered late", { kind: "delay", ms: 40_000 }),
];

const ON_TASKS: readonly FaultKind[] = [
  kind("its task failed on a lock", { kind: "task-error", message: LOCKED }),
  kind("its task was interrupted", { kind: "task-error", message: "interrupted by signal" }),
];

const startsTask = ({ service, site }: Call) =>
  service === "proxmox" && /^(POST|PUT|DELETE) /.test(site) && /qemu|download-url/.test(site);

/** Small enough to split every response, and large enough that an image still arrives. */
const pieceOf = ({ service }: Call) => (service === "factory" || service === "charts" ? 4_000 : 23);

/** All faults at that call site, including the documented errors of its product. */
export function kindsAt(call: Call, refusals: Readonly<Record<string, KnownRefusal>> = {}): readonly FaultKind[] {
  return [
    ...ON_EVERY_CALL,
    kind("answered in pieces", { kind: "drip", bytes: pieceOf(call) }),
    ...(call.mutating ? [kind("effective, answer lost", { kind: "cut-after" })] : []),
    ...(call.mutating ? Object.entries(refusals) : onePerStatus(call, refusals)).map(([name, { status, message }]) =>
      kind(`refused: ${name}`, { kind: "refuse", status, message }),
    ),
    ...(call.mutating && startsTask(call) ? ON_TASKS : []),
  ];
}

/** Clients decide by status; each call site uses another message, so that all messages occur somewhere. */
function onePerStatus(call: Call, refusals: Readonly<Record<string, KnownRefusal>>): [string, KnownRefusal][] {
  const statuses = new Set(Object.values(refusals).map(({ status }) => status));
  const alike = [...statuses].map((status) => Object.entries(refusals).filter(([, one]) => one.status === status));
  const turn = [...`${call.site} ${call.command ?? ""}`].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return alike.map((group) => group[turn % group.length] as [string, KnownRefusal]);
}
