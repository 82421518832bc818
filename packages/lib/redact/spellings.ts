export interface Spellings {
  whole: Set<string>;
  /** A piece of one of these also reveals the secret. */
  inPieces: Set<string>;
}

/** The forms in which a secret appears: in JSON, URLs, shell commands, hex, and base64 at any alignment. */
export function spellingsOf(value: string): Spellings {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const once = base64Cores(bytes);
  const twice = once.flatMap((core) => base64Cores(Buffer.from(core)));
  const whole = new Set(escapedForms(value));
  const inPieces = [value, hex, hex.toUpperCase(), bytes.toString("base64"), ...once, ...once.map(urlSafe), ...twice];
  // For a text of several lines, the escaped forms have the same pieces.
  const all = value.includes("\n") ? inPieces : [...inPieces, ...whole];
  return { whole, inPieces: new Set([...all, ...bytesInside(value)]) };
}

function escapedForms(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  // encodeURIComponent throws on a lone surrogate.
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

/** The base64 letters that depend on these bytes alone, whatever precedes or follows them: one text for each of the three alignments. */
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

/** A key stored in base64 also appears in base64url and hex. */
function bytesInside(value: string): string[] {
  if (!BASE64_KEY.test(value)) return [];
  const hex = Buffer.from(value, "base64").toString("hex");
  return [urlSafe(value).replace(/=+$/, ""), hex, hex.toUpperCase()];
}
