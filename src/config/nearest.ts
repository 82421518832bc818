/** The known word that a misspelt word most likely means; undefined when none is similar enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.slice(0, 64).toLowerCase();
  let best: string | undefined;
  // About one mistake for three letters; more is another word.
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    // So many letters at least would have to be added or dropped.
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The most words that a hint lists. */
export const FEW = 5;

/**
 * The known words that an unknown word may mean, nearest first: one that is spelt or called almost the same, else those it contains ("disk_gb": disk),
 * else those with a part in common ("flags": cpuFlags, diskFlags).
 */
export function nearestWords(word: string, known: readonly string[]): string[] {
  const meant = sameWord(word, known) ?? nearest(word, known);
  if (meant !== undefined) return [meant];
  const parts = partsOf(word);
  const alike = known.map((one) => ({ one, ...likeness(parts, partsOf(one)) })).toSorted((a, b) => b.share - a.share);
  const contained = alike.filter(({ whole }) => whole);
  return (contained.length > 0 ? contained : alike.filter(({ share }) => share >= 0.5)).slice(0, FEW).map(({ one }) => one);
}

/** The known word that is written or called differently: vm_id for vmid, ram for memory. */
export function sameWord(word: string, known: readonly string[]): string | undefined {
  const wanted = plainWord(word);
  return known.find((one) => plainWord(one) === wanted) ?? known.find((one) => ALSO_CALLED[one]?.includes(wanted));
}

/** The hint for a key that is not known where it is. */
export function keyHint(key: string, known: readonly string[]): string {
  const near = nearestWords(key, known);
  if (near.length > 0) return `did you mean ${anyOf(near)}?`;
  if (known.length === 0) return "remove it";
  const more = known.length > FEW ? ` and ${known.length - FEW} more` : "";
  return `remove it; the keys known here are ${known.slice(0, FEW).join(", ")}${more}`;
}

/** "disk, disks or volumes" */
export function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Names that other tools have for keys of the config, as plain words. */
const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  cidr: ["subnet", "netmask", "range"],
  cores: ["cpus", "vcpu", "vcpus", "cpucount", "cpucores"],
  gateway: ["router", "defaultroute"],
  host: ["hypervisor", "targetnode", "vmhost"],
  ip: ["address", "addresses", "ipv4"],
  kubernetes: ["k8s"],
  memory: ["ram", "mem"],
  name: ["hostname"],
  nameservers: ["dns", "dnsservers", "resolvers"],
  role: ["type", "kind"],
  storage: ["datastore"],
  timeServers: ["ntp", "ntpservers"],
  url: ["endpoint", "apiurl"],
};

function plainWord(word: string): string {
  return word
    .slice(0, 64)
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toLowerCase();
}

/** "storage_pool" and "storagePool" are storage and pool. */
function partsOf(word: string): string[] {
  const parts = word.slice(0, 64).match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  return parts.map((part) => part.toLowerCase());
}

/** How much of two words is in both, from 0 to 1, and whether the second is a whole part of the first. */
function likeness(word: readonly string[], other: readonly string[]): { share: number; whole: boolean } {
  const letters = (parts: readonly string[]) => parts.join("").length;
  const common = other.map((part) => Math.max(0, ...word.map((one) => commonLetters(one, part))));
  const shared = common.reduce((sum, count) => sum + count, 0);
  return {
    share: (2 * shared) / Math.max(1, letters(word) + letters(other)),
    whole: other.every((part) => word.includes(part)),
  };
}

/** "mem" begins "memory", and "servers" ends "nameservers". */
function commonLetters(a: string, b: string): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short === long) return short.length;
  return short.length >= 3 && (long.startsWith(short) || long.endsWith(short)) ? short.length : 0;
}

/** The number of letters to add, drop, change or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
