import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { kindOf, schemaOf, withoutPointer } from "@talosmith/lab/talos/config/schema.ts";
import type { WrongConfig } from "@talosmith/lab/talos/testing/wrong-configs.ts";
import { parseAllDocuments, stringify } from "yaml";

/** Kinds whose rules the lab does not have: it takes them as they are, once they can be read. */
const LEFT_OUT =
  "BGPInstanceConfig ContainerConfig CRIBaseRuntimeSpecConfig CRICustomizationConfig LVMLogicalVolumeConfig LVMVolumeGroupConfig RAIDArrayConfig".split(
    " ",
  );

const WORDS =
  "|x|true|5|eth0|10.0.0.1|10.0.0.0/8|10.0.0.1/24|fd00::/8|fd00::1|0.0.0.0/0|0.0.0.0|https://a:6443|https://a|tcp://a:1/x|udp://a:5|http://[::1|foo:bar|:x|1GB|10 XB|50%|500%|-1GB|a b|A_b|a/b/c|-x|off|stable|802.3ad|balance-rr|nope|luks2|xfs|btrfs|virtiofs|directory|disk|1m|10s|-5s|1x|aGVsbG8=|aGVsbG8|***|NoSchedule|v:NoSchedule|v:Nope|80-90|90-80|99999|aa:bb:cc:dd:ee:ff|zz:bb|disk.size > 10u * GiB|disk.size > 10|system_disk|link.driver == 'x'|glob('a*', disk.model)|foo|disk.nope == 1u|ghcr.io/siderolabs/kubelet:v1.36.3|x:v1.20.0|x:v1.99.0|x:v1|registry.k8s.io/kube-apiserver:v1.35.0@sha256:abc|controlplane|init|join|none|custom|cilium|EPHEMERAL|STATE|os:admin|boss|cluster.local|a..b|main|100|DoT|v2|v3|>= 100GB|a%d|%d|a%x|longnamelongnamelongnamelongnamelongname".split(
    "|",
  );

type Odd = null | boolean | number | string | Odd[] | { [key: string]: Odd };

/** Configs with anything anywhere: documents made up by their types, and generated configs with parts taken out, changed and added. */
export function oddConfigs(folder: string, seed: number, count: number): WrongConfig[] {
  const bases = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8"));
  const maker = new OddMaker(seed);
  return Array.from({ length: count }, (_, index) => ({
    name: String(index).padStart(6, "0"),
    mode: maker.pick(["metal", "cloud", "installed"] as const),
    text: maker.config(bases),
  }));
}

class OddMaker {
  readonly #schema = schemaOf(14);
  readonly #kinds = [...this.#schema.kinds.keys()].filter((kind) => kind !== "v1alpha1" && !LEFT_OUT.includes(kind));
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  #chance(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#chance() * from.length)] as T;
  }

  config(bases: readonly string[]): string {
    const documents = this.#chance() < 0.45 ? this.#some(() => this.#document(), 1) : this.#changed(this.pick(bases));
    return documents.map((document) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");
  }

  #some<T>(make: () => T, least = 0): T[] {
    return Array.from({ length: least + Math.floor(this.#chance() * 2.5) }, make);
  }

  #document(): Odd {
    const kind = this.pick(this.#kinds);
    return { apiVersion: "v1alpha1", kind, ...this.#fields(this.#schema.kinds.get(kind) ?? "", 4) };
  }

  #fields(type: string, depth: number): { [key: string]: Odd } {
    const keys = [...(this.#schema.shapes.get(type)?.keys ?? [])].filter(([key]) => key !== "apiVersion" && key !== "kind");
    const entries = keys
      .filter(() => this.#chance() < (depth > 3 ? 0.75 : 0.6))
      .map(([key, inner]) => [key, this.#value(inner, depth - 1)] as const);
    return Object.fromEntries(this.#chance() < 0.03 ? [...entries, [this.pick(["foo", "bar"]), this.#anything(1)]] : entries);
  }

  #value(type: string, depth: number): Odd {
    if (this.#chance() < 0.04) return this.#anything(1);
    const bare = withoutPointer(type);
    if (bare.startsWith("x509.")) {
      const keys = bare.endsWith("AndKey") ? ["crt", "key"] : [bare.endsWith("Key") ? "key" : "crt"];
      return Object.fromEntries(keys.map((key) => [key, this.pick(["", "aGVsbG8=", "***"])]));
    }
    if (this.#schema.shapes.get(bare)?.custom && bare !== "v1alpha1.ClusterInlineManifests") return this.pick(WORDS);
    const kind = kindOf(this.#schema, bare);
    if (kind.is === "any") return this.#anything(1);
    if (kind.is === "list") return this.#some(() => this.#value(kind.of, depth - 1));
    if (kind.is === "struct") return this.#fields(bare, depth);
    // One key only: Go looks at maps in any order.
    if (kind.is === "map")
      return { [this.pick(["a", "memory", "x/y", "A_", "-z", "oidc-x", "kind"])]: this.#value(kind.of, depth - 1) };
    if (kind.type === "bool") return this.#chance() < 0.9 ? this.pick([true, false]) : this.pick(["yes", "off", "nope"]);
    if (/int|float/.test(kind.type))
      return this.#chance() < 0.95 ? this.pick([0, 1, 2, 7, 24, 80, 1280, 4095, 70_000, -1]) : this.pick(WORDS);
    return this.pick(WORDS);
  }

  #anything(depth: number): Odd {
    const roll = this.#chance();
    if (depth <= 0 || roll < 0.7)
      return this.pick<Odd>([...WORDS, 0, 1, -1, 1280, 70_000, 5e9, 1.5, true, false, null, null, null]);
    if (roll < 0.85) return this.#some(() => this.#anything(depth - 1));
    return { [this.pick(["a", "name", "type", "match", "crt", "url", "enabled"])]: this.#anything(depth - 1) };
  }

  #changed(base: string): Odd[] {
    const documents = parseAllDocuments(base).map((document) => document.toJS() as Odd);
    for (let left = 1 + Math.floor(this.#chance() * 3); left > 0; left--) {
      const places = documents.flatMap((document) => placesIn(document));
      const { of, key } = this.pick(places);
      const roll = this.#chance();
      if (roll < 0.35) delete of[key];
      else if (roll < 0.8) of[key] = this.#anything(2);
      else of[this.pick(["foo", "bar"])] = this.#anything(1);
    }
    return this.#chance() < 0.4 ? [...documents, this.#document()] : documents;
  }
}

function placesIn(value: Odd): { of: { [key: string]: Odd }; key: string }[] {
  if (Array.isArray(value)) return value.flatMap(placesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ of: value, key }, ...placesIn(inner)]);
}
