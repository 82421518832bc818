import { type CommonOptions, confirm, intro, isCancel, log, multiselect, outro, password, select, text } from "@clack/prompts";
import { userError } from "@talosmith/lib/errors.ts";
import { endReadingLine } from "./reading-line.ts";

interface Choice<T extends string> {
  value: T;
  label: string;
  hint?: string;
}

type Streams = Required<Pick<CommonOptions, "input" | "output">>;

/** Asks questions on the terminal, on stderr, so that piped output stays clean. */
export function wizard(title: string, signal: AbortSignal, streams: Streams = { input: process.stdin, output: process.stderr }) {
  const on: CommonOptions = { ...streams, signal };
  endReadingLine();
  intro(title, on);
  return {
    text: async (question: { message: string; initial?: string; check?: (answer: string) => string | undefined }) =>
      answered(
        await text({
          ...on,
          message: question.message,
          ...(question.initial !== undefined && { initialValue: question.initial }),
          validate: (value) => (question.check ?? notEmpty)(value ?? ""),
        }),
      ),
    secret: async (question: { message: string; check?: (answer: string) => string | undefined }) =>
      answered(await password({ ...on, message: question.message, validate: (value) => question.check?.(value ?? "") })) ?? "",
    choose: async <T extends string>(question: { message: string; of: readonly Choice<T>[]; initial?: T }) =>
      answered(
        await select<string>({
          ...on,
          message: question.message,
          options: [...question.of],
          ...(question.initial !== undefined && { initialValue: question.initial }),
        }),
      ) as T,
    chooseMany: async (question: { message: string; of: readonly Choice<string>[]; initial: readonly string[] }) =>
      answered(
        await multiselect<string>({
          ...on,
          message: question.message,
          options: [...question.of],
          initialValues: [...question.initial],
          required: true,
        }),
      ),
    confirm: async (question: { message: string; initial: boolean }) =>
      answered(await confirm({ ...on, message: question.message, initialValue: question.initial })),
    say: (level: "info" | "warn" | "good", message: string) =>
      ({ info: log.info, warn: log.warn, good: log.success })[level](message, on),
    end: (message: string) => outro(message, on),
  };
}

function notEmpty(answer: string): string | undefined {
  return answer.trim() === "" ? "enter a value" : undefined;
}

/** The code of the error after Ctrl-C or Escape. */
export const LEFT = "LEFT";

function answered<T>(answer: T): Exclude<T, symbol> {
  if (!isCancel(answer)) return answer as Exclude<T, symbol>;
  throw userError(LEFT, { message: "Cancelled: nothing was written", hint: "run the same command again" });
}
