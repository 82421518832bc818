import type { Scope } from "./expand.ts";
import type { Own } from "./own.ts";
import { type List, SyntaxProblem } from "./syntax.ts";

/** $$ */
const PROCESS = "870";

/** What the words of a shell are expanded with. */
export function scopeOf(
  own: Own,
  now: { status: number; lastJob: string },
  rest: { output: (body: List) => Promise<string>; paths: Scope["paths"] },
): Scope {
  const special: Record<string, string> = {
    ...{ "?": String(now.status), "#": String(own.positional.length), $: PROCESS, "!": now.lastJob, "0": own.zero },
    "-": [...own.options].filter((option) => option.length === 1).join(""),
  };
  return {
    value: (name) => special[name] ?? (/^\d+$/.test(name) ? own.positional[Number(name) - 1] : own.variables.get(name)),
    missing: (name) => {
      if (own.options.has("u")) throw new SyntaxProblem(`${name}: unbound variable`);
      return "";
    },
    assign: (name, value) => own.variables.set(name, value),
    positional: () => own.positional,
    ...rest,
  };
}
