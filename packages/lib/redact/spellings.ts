export interface Spellings {
  all: ReadonlySet<string>;
  /** A piece of one of these also reveals the secret. */
  inPieces: readonly string[];
}

/** The forms in which a secret appears: in JSON, URLs, shell commands, hex, and base64 at any alignment. */
export function spellingsOf(value: string): Spellings {
  const bytes = Buffer.from(value);
  const once = base64Cores(bytes);
  const escaped = escapedForms(value);
  const inPieces = [
    value,
    ...hexOf(bytes),
    bytes.toString("base64"),
    ...once,
    ...once.map(urlSafe),
    ...once.flatMap((core) => base64Cores(Buffer.from(core))),
    ...(BASE64_KEY.test(value) ? bytesInside(value) : []),
    // Escaped, several lines become one, and the comments in it are no longer recognised.
    ...(value.includes("\n") ? [] : escaped),
  ];
  return { all: new Set([...inPieces, ...escaped]), inPieces };
}

const hexOf = (bytes: Buffer) => [bytes.toString("hex"), bytes.toString("hex").toUpperCase()];

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
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    // Four letters are three bytes.
    return text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });
}

const urlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");

const BASE64_KEY = /^[A-Za-z0-9+/]{22,}={0,2}$/;

/** A key stored in base64 also appears in base64url and hex. */
function bytesInside(value: string): string[] {
  return [urlSafe(value).replace(/=+$/, ""), ...hexOf(Buffer.from(value, "base64"))];
}
