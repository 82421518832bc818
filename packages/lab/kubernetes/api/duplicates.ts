/** Lists `duplicate field "spec.replicas"` for every repeated key of a JSON text. Other media types have no duplicates here. */
export function duplicateFields(text: string, mediaType: string): string[] {
  return mediaType.endsWith("json") ? new Scanner(text).found : [];
}

/** Scans a text that JSON.parse has accepted: it need not check for mistakes. */
class Scanner {
  readonly found: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#value("");
  }

  #value(path: string): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") this.#members(path);
    else if (first === "[") this.#items(path);
    else if (first === '"') this.#string();
    else this.#skip(/[^,\]}\s]*/y);
    this.#space();
  }

  #members(path: string): void {
    const seen = new Set<string>();
    this.#at++;
    this.#space();
    while (this.#at < this.#text.length && this.#text[this.#at] !== "}") {
      const name = this.#string();
      const here = path === "" ? name : `${path}.${name}`;
      if (seen.has(name)) this.found.push(`duplicate field ${JSON.stringify(here)}`);
      seen.add(name);
      this.#space();
      this.#at++;
      this.#value(here);
      if (this.#text[this.#at] === ",") this.#at++;
      this.#space();
    }
    this.#at++;
  }

  #items(path: string): void {
    this.#at++;
    this.#space();
    for (let index = 0; this.#at < this.#text.length && this.#text[this.#at] !== "]"; index++) {
      this.#value(`${path}[${index}]`);
      if (this.#text[this.#at] === ",") this.#at++;
      this.#space();
    }
    this.#at++;
  }

  #string(): string {
    const quoted = this.#skip(/"(?:[^"\\]|\\.)*"/y);
    return quoted === "" ? "" : (JSON.parse(quoted) as string);
  }

  #space(): void {
    this.#skip(/\s*/y);
  }

  #skip(what: RegExp): string {
    what.lastIndex = this.#at;
    const [taken = ""] = what.exec(this.#text) ?? [];
    this.#at += Math.max(taken.length, what.source.startsWith('"') && taken === "" ? 1 : 0);
    return taken;
  }
}
