import { remoteError } from "@talosmith/lib/errors.ts";

/** Ten times the size of the largest object in etcd. */
const LONGEST = 16 * 1024 * 1024;

/** Splits a stream of text into lines; the last one needs no line end. */
export async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of parts) {
    const pieces = `${rest}${decoder.decode(part, { stream: true })}`.split("\n");
    rest = pieces.pop() ?? "";
    if (rest.length > LONGEST)
      throw remoteError("KUBERNETES_ANSWER", { message: "Unexpected response from Kubernetes: a line is too long" });
    yield* pieces;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
