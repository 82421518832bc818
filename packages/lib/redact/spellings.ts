export interface Spellings {
  whole: Set<string>;
  /** A piece of one of these gives the secret away as well. */
  inPieces: Set<string>;
}

/** The ways in which a secret travels: in JSON, URLs, shells, hex, and base64 wherever it begins in what is around it. */
export function spellingsOf(value: string): Spellings {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const once = base64Cores(bytes);
  const twice = once.flatMap((core) => base64Cores(Buffer.from(core)));
  const whole = new Set(escapedForms(value));
  const inPieces = [value, hex, hex.toUpperCase(), bytes.toString("base64"), ...once, ...once.map(urlSafe), ...twice];
  // Of several lines the escaped forms have the same pieces.
  const all = value.includes("\n") ? inPieces : [...inPieces, ...whole];
  return { whole, inPieces: new Set([...all, ...bytesInside(value)]) };
}

function escapedForms(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  // Half of a character has no such form, and would be refused.
  const percent = encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
  return [
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll("%20", "+"),
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", "''"),
  ];
}

/**
 * What is the same in base64 whatever stands before and after: the letters that are made of these bytes alone, for each of the three places
 * in a group of three at which they can begin.
 */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const whole = (before + bytes.length) % 3 === 0;
    return text.slice(before === 0 ? 0 : before + 1, whole ? undefined : -1);
  });
}

const urlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");

const BASE64_KEY = /^[A-Za-z0-9+/]{22,}={0,2}$/;

/** A key that is kept in base64 is the same key in base64url or in hex. */
function bytesInside(value: string): string[] {
  if (!BASE64_KEY.test(value)) return [];
  const hex = Buffer.from(value, "base64").toString("hex");
  return [urlSafe(value).replace(/=+$/, ""), hex, hex.toUpperCase()];
}
