import { parse } from "yaml";
import type * as z from "zod";

/** The content of an access file in the shape it must have, or undefined. Nothing of it is ever quoted: it holds a key. */
export function readAccessFile<T>(text: string, shape: z.ZodType<T>): T | undefined {
  try {
    // The parser's warnings would go to the terminal, and quote it.
    return shape.safeParse(parse(text, { prettyErrors: false, logLevel: "error" })).data;
  } catch {
    return undefined;
  }
}

export function fromBase64(value: string): string {
  return Buffer.from(value, "base64").toString("utf8");
}
