import { hasCode } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import { kubernetesCondition } from "../conditions.ts";

const PATIENCE_MS = 5 * 60_000;

/** Retries a call while the API server is unavailable. Only for idempotent calls. */
export async function patiently<T>(
  c: Read,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  let result: { is: T } | undefined;
  const done = async ({ signal }: Read) => {
    result = { is: await work(signal) };
    return true as const;
  };
  await c.until(kubernetesCondition(name, patienceMs, done));
  return (result as unknown as { is: T }).is;
}

export function isTimeout(error: unknown): boolean {
  return hasCode(error, "TIMEOUT");
}
