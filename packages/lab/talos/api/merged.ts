/** Merges several streams in the order of arrival; ends when all have ended. */
export async function* merged<T>(streams: readonly AsyncIterator<T>[]): AsyncGenerator<T> {
  const waiting = new Map(streams.map((stream) => [stream, step(stream)]));
  try {
    while (waiting.size > 0) {
      const { stream, result } = await Promise.race(waiting.values());
      if (result.done) waiting.delete(stream);
      else {
        waiting.set(stream, step(stream));
        yield result.value;
      }
    }
  } finally {
    for (const stream of waiting.keys()) void stream.return?.();
  }
}

async function step<T>(stream: AsyncIterator<T>): Promise<{ stream: AsyncIterator<T>; result: IteratorResult<T> }> {
  return { stream, result: await stream.next() };
}
