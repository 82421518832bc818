/** Resolves after the pending callbacks of this process, sockets included, have run. No time needs to pass. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
