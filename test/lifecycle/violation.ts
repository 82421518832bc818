/** A promise of the product was broken. test/run.js never runs such a test again: seen once, it is a bug. */
class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
}

/** Fails with every violation found; each is a line. */
export function expectNoViolations(found: readonly string[]): void {
  if (found.length > 0) throw new InvariantViolation(found.join("\n"));
}
