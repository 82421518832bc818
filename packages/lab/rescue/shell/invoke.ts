import type { Process } from "./process.ts";
import { readAll } from "./streams.ts";

/** `sh` and its relatives: `-c TEXT [NAME ARG…]`, or what comes in. */
export async function invokeShell({ args, stdin, script }: Process): Promise<number> {
  const at = args.findIndex((arg) => /^-\w*c$/.test(arg));
  const [source, zero, ...positional] = at < 0 ? [] : args.slice(at + 1);
  if (source !== undefined) return script(source, positional, zero);
  const text = (await readAll(stdin)).toString("utf8");
  return script(
    text,
    args.filter((arg) => !arg.startsWith("-")),
  );
}
