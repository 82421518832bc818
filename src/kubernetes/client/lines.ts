import { remoteError } from "@talosmith/lib/errors.ts";

/** The largest object that etcd takes is a tenth of that. */
const LONGEST = 16 * 1024 * 1024;

/** A text that comes in parts, line by line; the last one counts although nothing ends it. */
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
