/** The text of every element of this name, at any depth; S3's responses are flat enough for a regular expression. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, "g"))].map(([, inside = ""]) => inside);
}

export function element(xml: string, name: string): string | undefined {
  const [found] = elements(xml, name);
  return found === undefined ? undefined : unescaped(found);
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi, (written, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? written;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : written;
  });
}
