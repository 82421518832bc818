/** A place in a file a person edits. */
export interface Where {
  file: string;
  line: number;
  column: number;
  /** The line(s) around the place, drawn with a marker below it. */
  frame?: string;
}

export type ErrorKind = "user" | "remote" | "internal";

export interface ErrorParts {
  /** "Unable to <verb> <thing>", or what is wrong with the place named by `where`. */
  message: string;
  detail?: string;
  /** What to do about it. User errors always have one. */
  hint?: string;
  where?: Where;
  cause?: unknown;
  /** It may well work when tried again: an answer lost, a lock held by somebody else. What happened is not known. */
  transient?: boolean;
  /** Several problems found together, each an error of its own. */
  problems?: readonly TalosmithError[];
}

/** What travels in events: an error without its stack. */
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

/** The person can mend it: config, flags, files. */
export function userError(code: string, parts: ErrorParts & { hint: string }): TalosmithError {
  return new TalosmithError("user", code, parts);
}

/** Something out there refused, failed or did not answer. */
export function remoteError(code: string, parts: ErrorParts): TalosmithError {
  return new TalosmithError("remote", code, parts);
}

/** We are wrong. */
export function internalError(code: string, parts: ErrorParts): TalosmithError {
  return new TalosmithError("internal", code, parts);
}

export function asTalosmithError(thrown: unknown): TalosmithError {
  if (thrown instanceof TalosmithError) return thrown;
  return internalError("INTERNAL", { message: `Something went wrong inside talosmith: ${messageOf(thrown)}`, cause: thrown });
}

/** Whatever was thrown, in its own words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
