/** The shape of secrets that were not registered: they occur in responses of other systems and in unreadable files. */
interface Pattern {
  /** Every match contains one of these in lower case; most texts contain none, and are not searched. */
  hints: readonly string[];
  /** Group 1, if any, is kept. Every repetition is bounded: a hostile text must not take minutes. */
  shape: RegExp;
  /** An additional test of group 2, the suspected secret. */
  when?: (suspect: string) => boolean;
}

const SECRET = "(secret)";
/** References, placeholders and already redacted values stay visible. */
const SHOWN = /^(?:\$|<|\(|\{|…|\*|\.\.\.|%|REPLACE|CHANGE|YOUR)/;
const random = (text: string) => !SHOWN.test(text) && /[0-9]/.test(text) && /[A-Za-z]/.test(text);

/** A private key in PEM: indented, quoted, with escaped line breaks, or cut off. */
function keyBlock(): RegExp {
  const between = String.raw`(?:\s|\\[nrt]|["'|>,])`;
  const label = "[A-Z0-9 ]{0,40}PRIVATE KEY-----";
  const heads = String.raw`(?:${between}{0,80}(?:Proc-Type|DEK-Info):[^\r\n]{0,100}){0,2}`;
  const lines = `(?:${between}{0,80}[A-Za-z0-9+/]{20,}={0,2}){1,2000}`;
  const end = `(?:(?:${between}{0,80}[A-Za-z0-9+/]{1,64}={0,2})?${between}{0,80}-----END ${label})?`;
  return new RegExp(`-----BEGIN ${label}${heads}${lines}${end}`, "g");
}

const PATTERNS: readonly Pattern[] = [
  {
    hints: ["private key"],
    shape: keyBlock(),
  },
  { hints: ["ls0tls1crudjti"], shape: /()(LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{20,}={0,2})/g, when: isKeyInBase64 },
  { hints: ["age-secret-key-"], shape: /AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{10,}/gi },
  { hints: ["pveapitoken"], shape: /(PVEAPIToken[=:]\s?(?:[^\s!=]{1,80}![^\s=]{1,80}=)?)[^\s"',;&]{6,}/gi },
  { hints: ["!"], shape: /([\w.-]{1,64}@[\w.-]{1,32}![\w.-]{1,64}=)[0-9a-f]{8}-[0-9a-f-]{20,}/gi },
  { hints: ["pve:"], shape: /PVE:[^\s:"']{1,80}:[0-9A-F]{8}::[A-Za-z0-9+/=%]{20,}/g },
  { hints: ["pveauthcookie"], shape: /(PVEAuthCookie[=:]\s?)[^\s"',;]{6,}/gi },
  { hints: ["csrfpreventiontoken"], shape: /(CSRFPreventionToken["']?\s?[=:]\s?["']?)[^\s"',;]{6,}/gi },
  {
    hints: ["authorization"],
    shape: /((?:proxy-)?authorization["']?\s?[=:]\s?["'[]{0,3}(?:bearer|basic|token|digest|AWS4-HMAC-SHA256)\s)[^\r\n"'\]]{6,}/gi,
  },
  { hints: ["bearer "], shape: /(\bbearer )([A-Za-z0-9._~+/=-]{16,})/gi, when: random },
  { hints: ["basic "], shape: /(\bbasic )([A-Za-z0-9+/]{8,}={0,2})/gi, when: isUserAndPassword },
  { hints: ["x-amz-"], shape: /(X-Amz-(?:Signature|Credential|Security-Token)=)[^\s"'&]{6,}/gi },
  { hints: ["eyj"], shape: /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{10,})?/g },
  { hints: ["tskey-"], shape: /\btskey-[a-z]{2,20}-[A-Za-z0-9-]{8,}/g },
  {
    hints: ["gho_", "ghp_", "ghs_", "ghu_", "github_pat_", "glpat-", "xox"],
    shape: /\b(?:gh[opsu]_|github_pat_|glpat-|xox[abprs]-)[A-Za-z0-9_-]{16,}/g,
  },
  { hints: ["ocid1."], shape: /(ocid1\.(?:tenancy|user)\.[a-z0-9]{0,20}\.[a-z0-9-]{0,40}\.)[a-z0-9]{20,}/g },
  // Bootstrap tokens of Kubernetes and join tokens of Talos machines.
  { hints: ["."], shape: /((?:^|[^\w./@-]))([a-z0-9]{6}\.[a-z0-9]{16})(?![\w/@-]|\.\w)/g, when: isToken },
  { hints: ["private", "preshared"], shape: /((?:private|preshared)_?key["']?\s{0,4}[=:]\s{0,4}["']?)[A-Za-z0-9+/]{43}=/gi },
  { hints: ["://"], shape: /(:\/\/[^\s/@:"']{0,100}:)([^\s/@"']{1,200})(?=@)/g, when: (text) => !SHOWN.test(text) },
  { hints: ["://"], shape: /(:\/\/)([^\s/@:"']{20,200})(?=@)/g, when: random },
  // In a URL, a form or JSON, only the value can follow.
  {
    hints: ["passw", "passphrase"],
    shape: /((?:password|passwd|passphrase)(?:=|["']\s{0,4}:\s{0,4}["']))([^\s"'&,;]{4,})/gi,
    when: (text) => !SHOWN.test(text),
  },
  {
    hints: ["token", "secret", "passw", "passphrase", "credential", "api_key", "apikey", "access_key", "accesskey"],
    shape:
      /((?:token|secret|passw(?:or)?d|passphrase|credentials?|api_?key|access_?key)["']?(?:=|\s{0,4}:\s{1,80}|["']?:)["']?)([^\s"'&,;]{10,})/gi,
    when: random,
  },
];

export function hidePatterns(text: string): string {
  const small = text.toLowerCase();
  let result = text;
  for (const { hints, shape, when } of PATTERNS) {
    if (!hints.some((hint) => small.includes(hint))) continue;
    result = result.replaceAll(shape, (found: string, ...groups: unknown[]) => {
      const [kept, suspect] = groups;
      if (when?.(String(suspect)) === false) return found;
      return `${typeof kept === "string" ? kept : ""}${SECRET}`;
    });
  }
  return result;
}

function isKeyInBase64(text: string): boolean {
  return Buffer.from(text, "base64").toString("latin1").includes("PRIVATE KEY");
}

function isUserAndPassword(text: string): boolean {
  return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(text, "base64").toString("latin1"));
}

/** A host name can have the same shape, but sixteen random letters nearly always include a digit. */
function isToken(text: string): boolean {
  return /[0-9]/.test(text.slice(7)) && /[a-z]/.test(text);
}
