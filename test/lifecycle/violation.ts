/** A violated invariant. test/run.js never retries such a test: seen once, it is a bug. */
class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
}

/** Fails with all violations; each is a line. */
export function expectNoViolations(found: readonly string[]): void {
  if (found.length > 0) throw new InvariantViolation(found.join("\n"));
}
