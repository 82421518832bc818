import { remoteError } from "@talosmith/lib/errors.ts";

/** A response of the API that is not validated yet. */
export type Loose = Readonly<Record<string, unknown>>;

function odd(what: string, value: unknown): never {
  throw remoteError("HETZNER_ANSWER", {
    message: `Unexpected response from Hetzner Cloud: ${what}`,
    detail: `got ${JSON.stringify(value)?.slice(0, 200)}`,
    hint: "check that vps.provider.url is the API of Hetzner Cloud",
  });
}

export function object(value: unknown, what: string): Loose {
  if (typeof value !== "object" || value === null || Array.isArray(value)) odd(`${what} is not an object`, value);
  return value as Loose;
}

export function list(value: unknown, what: string): Loose[] {
  if (!Array.isArray(value)) odd(`${what} is not a list`, value);
  return value.map((item) => object(item, what));
}

/** Empty when it is not there: null and absent mean the same. */
export function listOrNone(value: unknown, what: string): Loose[] {
  return value === undefined || value === null ? [] : list(value, what);
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function requiredText(value: unknown, what: string): string {
  return text(value) ?? odd(`${what} is missing`, value);
}

export function requiredNumber(value: unknown, what: string): number {
  return typeof value === "number" && Number.isFinite(value) ? value : odd(`${what} is not a number`, value);
}
