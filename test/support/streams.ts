/** Everything that a stream yields. */
export async function allOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

/** The bytes of a stream. */
export async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await allOf(stream));
}

/** A stream of these parts. */
export async function* streamOf<T extends string | Uint8Array>(...parts: T[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part as string);
}
