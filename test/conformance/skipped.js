/** A part that cannot run here, and why. */
export class Skipped extends Error {}
