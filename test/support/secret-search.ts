/** All values of secrets.yaml but names and certificates. */
export function valuesOf(value: unknown, key = ""): string[] {
  if (typeof value === "string") return key === "crt" || key === "id" ? [] : [value];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => valuesOf(inner, name));
}

/** Those that are keys as a file holds them, in base64. */
export function pemsAmong(values: readonly string[]): string[] {
  return values.map((text) => Buffer.from(text, "base64").toString("utf8")).filter((text) => text.includes("PRIVATE KEY"));
}

/** Whoever prints a key prints its lines, and perhaps not all of them. */
export function linesOfKey(pem: string): string[] {
  return pem.split("\n").filter((line) => line.length > 20 && !line.startsWith("---"));
}

/** Written anew, without the product's own code: raw, escaped, in an address, hex, and base64 wherever it begins, once and twice. */
function spellings(value: string): string[] {
  const cores = (bytes: Buffer) =>
    [0, 1, 2].map((shift) => {
      const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
      // The first letters and the last depend on what is beside it.
      return text.slice(shift === 0 ? 0 : 4, Math.floor((shift + bytes.length) / 3) * 4);
    });
  const once = cores(Buffer.from(value));
  const twice = once.flatMap((core) => cores(Buffer.from(core)));
  const all = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString("hex"),
    Buffer.from(value).toString("base64url").slice(0, -2),
    ...once,
    ...twice,
  ];
  return all.filter((text) => text.length >= 8);
}

/** Every secret, in every spelling, in every text; each with a name for the message of a failure. */
export function leaksOf(
  secrets: readonly (readonly [string, string])[],
  texts: readonly (readonly [string, string])[],
): string[] {
  const wanted = secrets.flatMap(([name, value]) => spellings(value).map((text) => [name, text] as const));
  return texts.flatMap(([where, text]) =>
    wanted.flatMap(([name, secret]) => (text.includes(secret) ? [`${name} is in ${where}`] : [])),
  );
}
