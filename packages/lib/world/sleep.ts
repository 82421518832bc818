/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits until `left` is no longer above 0; `left` returns the milliseconds that remain until then. It is asked again when a timer has fired: a timer
 * may be early, shorter than the sleep, or on another clock than the one that counts. Rejects with the signal's reason when aborted.
 */
export function sleepFor(left: () => number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    let timer: NodeJS.Timeout;
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const wait = () => {
      timer = setTimeout(onTimer, Math.min(Math.max(1, left()), LONGEST_TIMER_MS));
    };
    const onTimer = () => {
      if (left() > 0) return wait();
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    wait();
    signal?.addEventListener("abort", onAbort);
  });
}
