/** Something a person can act on; shown without a stack. */
export class LauncherError extends Error {
  constructor(message, detail = "") {
    super(message);
    this.detail = detail;
  }
}
