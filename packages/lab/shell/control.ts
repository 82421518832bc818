/** The shell ends. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super();
    this.code = code;
  }
}

/** `break`, `continue` and `return`, on their way to what they leave. */
export class Jump extends Error {
  readonly kind: "break" | "continue" | "return";
  /** How many loops are left; of `return`, its status. */
  count: number;

  constructor(kind: "break" | "continue" | "return", count: number) {
    super();
    this.kind = kind;
    this.count = count;
  }
}
