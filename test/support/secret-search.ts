/** All values of secrets.yaml except names and certificates. */
export function valuesOf(value: unknown, key = ""): string[] {
  if (typeof value === "string") return key === "crt" || key === "id" ? [] : [value];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => valuesOf(inner, name));
}

/** The values that are base64-encoded private keys, decoded. */
export function pemsAmong(values: readonly string[]): string[] {
  return values.map((text) => Buffer.from(text, "base64").toString("utf8")).filter((text) => text.includes("PRIVATE KEY"));
}

/** The lines of a key: a leak may contain only some of them. */
export function linesOfKey(pem: string): string[] {
  return pem.split("\n").filter((line) => line.length > 20 && !line.startsWith("---"));
}

/**
 * Spellings of a secret, computed independently of the product's code: raw, escaped, in a URL, hex, and base64 at any alignment, once and twice.
 */
function spellings(value: string): string[] {
  const cores = (bytes: Buffer) =>
    [0, 1, 2].map((shift) => {
      const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
      // The first and last letters depend on the adjacent bytes.
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

/** Finds every secret in every spelling in every text; each has a name for failure messages. */
export function leaksOf(
  secrets: readonly (readonly [string, string])[],
  texts: readonly (readonly [string, string])[],
): string[] {
  const wanted = secrets.flatMap(([name, value]) => spellings(value).map((text) => [name, text] as const));
  return texts.flatMap(([where, text]) =>
    wanted.flatMap(([name, secret]) => (text.includes(secret) ? [`${name} is in ${where}`] : [])),
  );
}
