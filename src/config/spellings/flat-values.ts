import { formatIpv4, parseCidr, parseIpv4 } from "@talosmith/lib/cidr.ts";
import type { ScalarTree, Tree } from "@talosmith/lib/yaml/tree.ts";

/** A value made of what one or several scalars say; it stands where the first of them does, and remembers references. */
export function made(from: readonly ScalarTree[], make: (...texts: string[]) => string): ScalarTree {
  const [first, ...others] = from;
  if (first === undefined) throw new RangeError("a value is made of at least one");
  const value = make(...from.map((one) => String(one.value)));
  const referred = [first, ...others].some(({ written }) => written !== undefined);
  return {
    kind: "scalar",
    at: first.at,
    value,
    ...(first.definedAt !== undefined && { definedAt: first.definedAt }),
    ...(referred && { written: make(...from.map((one) => one.written ?? String(one.value))) }),
  };
}

/** One value of another kind is left to be complained about. */
export function changed(tree: Tree, change: (scalar: ScalarTree) => Tree): Tree {
  return tree.kind === "scalar" && tree.value !== null ? change(tree) : tree;
}

/** Memory is a number of MB, 1024-based. */
export function inMiB(scalar: ScalarTree): ScalarTree {
  return /^\d+$/.test(String(scalar.value)) ? made([scalar], (number) => `${number}MiB`) : scalar;
}

/** Disks are a number of GB, or 40G: 1024-based both. */
export function inGiB(scalar: ScalarTree): ScalarTree {
  return /^\d+G?$/.test(String(scalar.value)) ? made([scalar], (size) => `${size.replace(/G$/, "")}GiB`) : scalar;
}

/** 255.255.255.0, 24 or /24; undefined when it is none. */
export function prefixOf(mask: unknown): number | undefined {
  const text = String(mask).replace(/^\//, "");
  if (/^\d{1,2}$/.test(text)) return Number(text) <= 32 ? Number(text) : undefined;
  const bits = parseIpv4(text)?.toString(2).padStart(32, "0");
  return bits !== undefined && /^1*0*$/.test(bits) ? bits.indexOf("0") : undefined;
}

/** The network an address is in. */
export function networkAround(address: number, prefix: number): string {
  return parseCidr(`${formatIpv4(address)}/${prefix}`)?.text ?? "";
}
