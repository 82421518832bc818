import { createHash } from "node:crypto";
import { canonicalYaml, schematicId as labId, parseSchematic } from "@talosmith/lab/factory/schematic.ts";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { type Schematic, schematicId } from "../../../src/talos/image/schematic.ts";

// Prints one line of JSON for each schematic: what the factory is asked, and the ids that we and our lab give it.

/** Signs that mean something to YAML, words that read as other things than texts, and what kernel arguments look like. */
const LETTERS = "abcxyzTZ0189=,.-_:/ #'\"?&{}[]!%@`|>*~+<$\\()^;";
const WORDS = [
  "true",
  "Yes",
  "off",
  "n",
  "null",
  "~",
  "<<",
  "1.0",
  "1:30",
  "0x1f",
  "-0",
  ".inf",
  "2001-01-01",
  "a: b",
  "a #b",
  "a:",
  "- a",
  "---",
  "console=ttyS0,115200",
  "-talos.platform",
  "8250.nr_uarts=4",
  "ip=[2001:db8::1]::[fe80::1]:64::eth0:off",
  "{}",
];
const CASES = 4000;

function chance(...of: (string | number)[]): number {
  return createHash("sha256").update(of.join(" ")).digest().readUInt32BE(0);
}

function text(n: number, place: string): string {
  if (chance(n, place, "word") % 4 === 0) return WORDS[chance(n, place, "which") % WORDS.length] as string;
  const length = 1 + (chance(n, place, "length") % 10);
  return Array.from({ length }, (_, at) => LETTERS[chance(n, place, at) % LETTERS.length]).join("");
}

function texts(n: number, place: string): string[] {
  return Array.from({ length: chance(n, place) % 3 }, (_, at) => text(n, `${place} ${at}`));
}

function schematic(n: number): Schematic {
  return {
    kernelArgs: texts(n, "arguments"),
    extensions: texts(n, "extensions"),
    meta: texts(n, "meta").map((value, key) => ({ key, value })),
    wellKnownCertificates: n % 2 === 0,
    ...(n % 5 === 0 && { overlay: { image: text(n, "image"), name: text(n, "name") } }),
  };
}

/** undefined: refused, because factories of different age disagree about it. */
function ours(one: Schematic): string | undefined {
  try {
    return schematicId(one);
  } catch (error) {
    if (error instanceof TalosmithError && error.code === "SCHEMATIC_TEXT") return undefined;
    throw error;
  }
}

for (let n = 0; n < CASES; n++) {
  const one = schematic(n);
  const { overlay, kernelArgs, meta, extensions, wellKnownCertificates } = one;
  const asked = {
    ...(overlay && { overlay }),
    customization: {
      extraKernelArgs: kernelArgs,
      meta,
      systemExtensions: { officialExtensions: extensions },
      secureboot: { includeWellKnownCertificates: wellKnownCertificates },
    },
  };
  const lab = labId(canonicalYaml(parseSchematic(JSON.stringify(asked))));
  console.log(JSON.stringify({ asked, ours: ours(one), lab }));
}
