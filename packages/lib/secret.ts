import { KnownTexts, SHORTEST } from "./redact/known-texts.ts";
import { hidePatterns } from "./redact/patterns.ts";
import { spellingsOf } from "./redact/spellings.ts";

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

/** Removes the registered secret values of this process from any text, in all their spellings, and everything that looks like a secret. */
export class Redactor {
  readonly #values = new Set<string>();
  readonly #known = new KnownTexts();
  /** Registered but not indexed yet: many commands print nothing after they have read their secrets. */
  readonly #pending: string[] = [];

  secret(value: string): Secret {
    this.learn(value);
    return new Secret(value);
  }

  learn(value: string): void {
    if (value.length < SHORTEST || this.#values.has(value)) return;
    this.#values.add(value);
    this.#pending.push(value);
    // Files end with a line break; their content is used without it.
    this.learn(value.trim());
  }

  text(text: string): string {
    this.#sortIn();
    return hidePatterns(this.#withoutKnown(text));
  }

  /** Redacts every string inside, keys included. */
  value<T>(value: T): T {
    if (typeof value === "string") return this.text(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.value(item)) as T;
    if (value instanceof Object && Object.getPrototypeOf(value) === Object.prototype) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.value(item)])) as T;
    }
    return value;
  }

  #sortIn(): void {
    for (const value of this.#pending.splice(0)) {
      const { all, inPieces } = spellingsOf(value);
      for (const spelling of all) this.#known.add(spelling);
      for (const spelling of inPieces) this.#known.addPieces(spelling);
    }
  }

  #withoutKnown(text: string): string {
    let result = "";
    let done = 0;
    for (const { start, end } of this.#known.find(text)) {
      result += `${text.slice(done, start)}(secret)`;
      done = end;
    }
    return result + text.slice(done);
  }
}
