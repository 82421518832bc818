import type { Dialect } from "./dialect.ts";
import type { Command } from "./syntax.ts";

/** What belongs to one shell, and is copied into its subshells. */
export interface Own {
  variables: Map<string, string>;
  exported: Set<string>;
  functions: Map<string, Command>;
  positional: readonly string[];
  /** Letters of `set`, and the long names of the options without a letter. */
  options: Set<string>;
  /** The folder it is in: absolute. */
  folder: string;
  dialect: Dialect;
  /** $0 */
  zero: string;
}

/** As a login by SSH begins. */
export function freshOwn(environment: ReadonlyMap<string, string>, dialect: Dialect, folder: string): Own {
  const exported = new Set(environment.keys());
  const variables = new Map([["IFS", " \t\n"], ...environment]);
  return {
    ...{ variables, exported, functions: new Map(), positional: [], options: new Set() },
    ...{ folder, dialect, zero: dialect.name },
  };
}

/** As a subshell begins. */
export function copiedOwn(own: Own): Own {
  const { variables, exported, functions, options } = own;
  return {
    ...own,
    ...{ variables: new Map(variables), exported: new Set(exported), functions: new Map(functions) },
    options: new Set(options),
  };
}

export function environmentOf({ variables, exported }: Own): Map<string, string> {
  return new Map([...variables].filter(([name]) => exported.has(name)));
}

/** `NAME=value builtin`: the variables are as before when it has ended. */
export async function withVariables<T>(
  { variables }: Own,
  given: readonly [string, string][],
  work: () => Promise<T>,
): Promise<T> {
  const before = given.map(([name]) => [name, variables.get(name)] as const);
  for (const [name, value] of given) variables.set(name, value);
  try {
    return await work();
  } finally {
    for (const [name, value] of before)
      if (value === undefined) variables.delete(name);
      else variables.set(name, value);
  }
}

/** The letter of an option of `set -o`, or its name when it has none. */
export function optionNamed(name: string): string {
  return { errexit: "e", nounset: "u" }[name] ?? name;
}
