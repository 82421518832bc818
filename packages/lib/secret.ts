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

const SHORT = 40;
const MOST_SHORT = 2_000;

/** Removes the registered secret values of this process from any text, in all their spellings, and everything that looks like a secret. */
export class Redactor {
  readonly #values = new Set<string>();
  readonly #known = new KnownTexts();
  /** Registered but not indexed yet: many commands print nothing after they have read their secrets. */
  #pending: string[] = [];
  /** Results for short texts: names of events, keys and steps repeat often. */
  readonly #short = new Map<string, string>();

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
    if (text.length < SHORTEST) return text;
    if (this.#pending.length > 0) this.#sortIn();
    if (text.length > SHORT) return this.#redacted(text);
    let redacted = this.#short.get(text);
    if (redacted === undefined) {
      redacted = this.#redacted(text);
      if (this.#short.size >= MOST_SHORT) this.#short.clear();
      this.#short.set(text, redacted);
    }
    return redacted;
  }

  /** Redacts every string inside, keys included. */
  value<T>(value: T): T {
    if (typeof value === "string") return this.text(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.value(item)) as T;
    if (value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.value(item)])) as T;
    }
    return value;
  }

  #sortIn(): void {
    this.#short.clear();
    for (const value of this.#pending.splice(0)) {
      const { whole, inPieces } = spellingsOf(value);
      for (const spelling of inPieces) this.#known.addInPieces(spelling);
      for (const spelling of whole) this.#known.add(spelling);
    }
  }

  #redacted(text: string): string {
    return hidePatterns(this.#withoutKnown(text));
  }

  #withoutKnown(text: string): string {
    const spans = this.#known.find(text);
    if (spans.length === 0) return text;
    let result = "";
    let done = 0;
    for (const [start, end] of spans) {
      result += `${text.slice(done, start)}(secret)`;
      done = end;
    }
    return result + text.slice(done);
  }
}
