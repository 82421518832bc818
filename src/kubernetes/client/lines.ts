/** A text that comes in parts, line by line; the last one counts although nothing ends it. */
export async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of parts) {
    const pieces = `${rest}${decoder.decode(part, { stream: true })}`.split("\n");
    rest = pieces.pop() ?? "";
    yield* pieces;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
