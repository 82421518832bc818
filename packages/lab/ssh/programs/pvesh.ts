import { findMethod, type Verb } from "./api.ts";
import { callAndPrint, readOptions, repeatable } from "./cli.ts";
import { failed, type Program } from "./program.ts";

const VERBS: Readonly<Record<string, Verb>> = { get: "GET", create: "POST", set: "PUT", delete: "DELETE" };

/** PVE::CLI::pvesh: any path of the API. */
export const pvesh: Program = async (started) => {
  const [word = "", given = "", ...rest] = started.args;
  const verb = VERBS[word];
  if (verb === undefined)
    return failed(255, `ERROR: unknown command 'pvesh ${word}'\nUSAGE: pvesh <COMMAND> [ARGS] [OPTIONS]\n\n`);
  const path = `/${given.replace(/^\/+|\/+$/g, "")}`;
  if (!findMethod(started.lab, verb, path)) return failed(1, `No '${word}' handler defined for '${given}'\n`);
  const options = readOptions(rest, repeatable(started.lab, verb, path));
  if ("problem" in options) return failed(255, options.problem);
  if (options.places.length > 0) return failed(255, "400 too many arguments\n");
  return callAndPrint(started, verb, path, options, { prints: true });
};
