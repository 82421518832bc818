import { parse } from "yaml";
import type * as z from "zod";

/** Parses and validates an access file; undefined when it is invalid. Never quotes the file, which holds a key. */
export function readAccessFile<T>(text: string, shape: z.ZodType<T>): T | undefined {
  try {
    // The parser's warnings would go to the terminal and quote the file.
    return shape.safeParse(parse(text, { prettyErrors: false, logLevel: "error" })).data;
  } catch {
    return undefined;
  }
}

export function fromBase64(value: string): string {
  return Buffer.from(value, "base64").toString("utf8");
}
