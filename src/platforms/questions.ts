import type { Wrong } from "../config/schema/value.ts";

/** Questions to the user. A question throws if the user cancels. */
export interface Questions {
  text(question: { message: string; initial?: string; check?: (answer: string) => string | undefined }): Promise<string>;
  /** Asks without showing the answer. */
  secret(question: { message: string; check?: (answer: string) => string | undefined }): Promise<string>;
  choose<T extends string>(question: { message: string; of: readonly Choice<T>[]; initial?: T }): Promise<T>;
  chooseMany(question: { message: string; of: readonly Choice<string>[]; initial: readonly string[] }): Promise<string[]>;
  confirm(question: { message: string; initial: boolean }): Promise<boolean>;
  say(level: "info" | "warn" | "good", message: string): void;
}

export interface Choice<T extends string> {
  value: T;
  label: string;
  hint?: string;
}

/** Turns a check of the config into the message below a question. */
export function checkedBy(check: (value: string) => Wrong | undefined): (answer: string) => string | undefined {
  return (answer) => {
    const wrong = check(answer.trim());
    return wrong && `this ${wrong.says}: ${wrong.hint}`;
  };
}

export function wholeNumber(from: number, to: number): (answer: string) => string | undefined {
  return (answer) => {
    const number = Number(answer.trim());
    return answer.trim() !== "" && Number.isInteger(number) && number >= from && number <= to
      ? undefined
      : `enter a whole number from ${from} to ${to}`;
  };
}
