/** A position in a file that the user edits. */
export interface Where {
  file: string;
  line: number;
  column: number;
  /** The line(s) around the place, drawn with a marker below it. */
  frame?: string;
}

export type ErrorKind = "user" | "remote" | "internal";

export interface ErrorParts {
  /** "Unable to <verb> <thing>", or the problem at the position `where`. */
  message: string;
  detail?: string | undefined;
  /** The action that solves the problem. User errors always have one. */
  hint?: string | undefined;
  where?: Where;
  cause?: unknown;
  /** A retry may succeed: a lost response, a lock held by another command. It is unknown whether the failed call took effect. */
  transient?: boolean;
  /** Several problems found together, each an error of its own. */
  problems?: readonly TalosmithError[];
}

/** An error as it is stored in events: without its stack. */
export interface ErrorReport {
  kind: ErrorKind;
  code: string;
  message: string;
  detail?: string;
  hint?: string;
  where?: Where;
  problems?: ErrorReport[];
}

export class TalosmithError extends Error {
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly where: Where | undefined;
  readonly transient: boolean;
  readonly problems: readonly TalosmithError[];

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    parts: ErrorParts,
  ) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = "TalosmithError";
    this.detail = parts.detail;
    this.hint = parts.hint;
    this.where = parts.where;
    this.transient = parts.transient ?? false;
    this.problems = parts.problems ?? [];
  }

  report(): ErrorReport {
    return {
      kind: this.kind,
      code: this.code,
      message: this.message,
      ...(this.detail !== undefined && { detail: this.detail }),
      ...(this.hint !== undefined && { hint: this.hint }),
      ...(this.where !== undefined && { where: this.where }),
      ...(this.problems.length > 0 && { problems: this.problems.map((problem) => problem.report()) }),
    };
  }
}

/** An error that the user can correct: config, flags, files. */
export function userError(code: string, parts: ErrorParts & { hint: string }): TalosmithError {
  return new TalosmithError("user", code, parts);
}

/** An error of another system: it refused, failed or did not answer. */
export function remoteError(code: string, parts: ErrorParts): TalosmithError {
  return new TalosmithError("remote", code, parts);
}

/** A bug in talosmith. */
export function internalError(code: string, parts: ErrorParts): TalosmithError {
  return new TalosmithError("internal", code, parts);
}

/** Whether a retry may succeed: a lost response, a lock held by another command. */
export function isTransient(thrown: unknown): thrown is TalosmithError {
  return thrown instanceof TalosmithError && thrown.transient;
}

/** Whether an error of talosmith has this code. */
export function hasCode(thrown: unknown, code: string): thrown is TalosmithError {
  return thrown instanceof TalosmithError && thrown.code === code;
}

export function asTalosmithError(thrown: unknown): TalosmithError {
  if (thrown instanceof TalosmithError) return thrown;
  return internalError("INTERNAL", { message: `Something went wrong inside talosmith: ${messageOf(thrown)}`, cause: thrown });
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
