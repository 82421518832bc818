import type { Call, Fault, KnownRefusal } from "@talosmith/lab/kernel/kernel.ts";

export interface FaultKind {
  name: string;
  fault: Fault;
}

const kind = (name: string, fault: Fault): FaultKind => ({ name, fault });

const LOCKED = "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout";

/** What goes wrong on the way, whatever the service. */
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

/** Small enough that no answer comes whole, and large enough that an image comes at all. */
const pieceOf = ({ service }: Call) => (service === "factory" || service === "charts" ? 4_000 : 23);

/** Everything that can go wrong at that call site: what its product is known to say among it. */
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

/** Whoever only looks goes by the status; which words come with it is another at each call site, so that all of them are heard somewhere. */
function onePerStatus(call: Call, refusals: Readonly<Record<string, KnownRefusal>>): [string, KnownRefusal][] {
  const statuses = new Set(Object.values(refusals).map(({ status }) => status));
  const alike = [...statuses].map((status) => Object.entries(refusals).filter(([, one]) => one.status === status));
  const turn = [...`${call.site} ${call.command ?? ""}`].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return alike.map((group) => group[turn % group.length] as [string, KnownRefusal]);
}
