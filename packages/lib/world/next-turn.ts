/** Whatever waits for its turn in this process, sockets first of all, has had it. No time need pass for that. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
