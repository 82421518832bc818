/** A value that must never be shown. Printing, logging or serialising it gives a placeholder; only `reveal` gives the value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "(secret)";
  }

  toJSON(): string {
    return "(secret)";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "(secret)";
  }
}

/** Knows the secret values of this process and takes them out of any text, in the spellings they travel in. */
export class Redactor {
  readonly #spellings = new Set<string>();

  secret(value: string): Secret {
    this.learn(value);
    return new Secret(value);
  }

  learn(value: string): void {
    // Anything shorter would blank out half of every sentence.
    if (value.length < 6) return;
    const escaped = JSON.stringify(value).slice(1, -1);
    for (const spelling of [value, escaped, encodeURIComponent(value), Buffer.from(value).toString("base64")])
      this.#spellings.add(spelling);
  }

  text(text: string): string {
    let result = text;
    for (const spelling of this.#spellings) if (result.includes(spelling)) result = result.replaceAll(spelling, "(secret)");
    return result;
  }

  /** Redacts every string inside, keys included. */
  value<T>(value: T): T {
    if (this.#spellings.size === 0) return value;
    if (typeof value === "string") return this.text(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.value(item)) as T;
    if (value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.value(item)])) as T;
    }
    return value;
  }
}
