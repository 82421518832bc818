import { expect } from "vitest";

/** Lets what is on its way in memory arrive. */
export async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((done) => setImmediate(done));
}

/** Expects something of a value that changes when what is on its way in memory has arrived. */
export const soon = <T>(value: () => T) => expect.poll(value, { interval: 2 });
