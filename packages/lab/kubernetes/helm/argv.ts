/** The type of a flag's value, if any, for flags that the lab's helm supports. */
type FlagKind = "text" | "list" | "yes";

const FLAGS: Record<string, FlagKind> = {
  install: "yes",
  repo: "text",
  version: "text",
  namespace: "text",
  "create-namespace": "yes",
  values: "list",
  set: "list",
  "set-string": "list",
  wait: "yes",
  "wait-for-jobs": "yes",
  timeout: "text",
  atomic: "yes",
  "history-max": "text",
  "reset-values": "yes",
  "reuse-values": "yes",
  "reset-then-reuse-values": "yes",
  "skip-crds": "yes",
  "no-hooks": "yes",
  force: "yes",
  "take-ownership": "yes",
  "dry-run": "yes",
  "keep-history": "yes",
  "ignore-not-found": "yes",
  description: "text",
  labels: "list",
  "cleanup-on-fail": "yes",
  "disable-openapi-validation": "yes",
  "skip-schema-validation": "yes",
  debug: "yes",
  username: "text",
  password: "text",
  "plain-http": "yes",
  "insecure-skip-tls-verify": "yes",
  kubeconfig: "text",
  "kube-context": "text",
  "pass-credentials": "yes",
  "render-subchart-notes": "yes",
  "hide-notes": "yes",
  cascade: "text",
};
const SHORT: Record<string, string> = { n: "namespace", f: "values", i: "install" };

export interface HelmArguments {
  command: string;
  words: string[];
  text: Record<string, string>;
  lists: Record<string, string[]>;
  on: ReadonlySet<string>;
}

/** Parses `helm COMMAND WORD… --flag value --flag=value -n value`, as cobra does. */
export function parseArguments(argv: readonly string[]): HelmArguments {
  const words: string[] = [];
  const text: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  const on = new Set<string>();
  const rest = [...argv];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith("-") || arg === "-") {
      words.push(arg);
      continue;
    }
    const [, dashes = "", given = "", glued] = /^(--?)([^=]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    const name = dashes === "-" ? SHORT[given] : given;
    const kind = name === undefined || !Object.hasOwn(FLAGS, name) ? undefined : FLAGS[name];
    if (name === undefined || kind === undefined) {
      throw new Error(dashes === "-" ? `unknown shorthand flag: '${given}' in ${arg}` : `unknown flag: ${dashes}${given}`);
    }
    if (kind === "yes") {
      if (glued !== "false") on.add(name);
      continue;
    }
    const value = glued ?? rest.shift();
    if (value === undefined) throw new Error(`flag needs an argument: ${dashes}${given}`);
    if (kind === "text") text[name] = value;
    else lists[name] = [...(lists[name] ?? []), value];
  }
  const [command = "", ...operands] = words;
  return { command, words: operands, text, lists, on };
}

/** "5m0s", "90s", "1h" in milliseconds. */
export function duration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  const unit: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  if (parts.length === 0)
    throw new Error(
      `invalid argument ${JSON.stringify(text)} for "--timeout" flag: time: invalid duration ${JSON.stringify(text)}`,
    );
  return parts.reduce((sum, [, count = "0", name = "s"]) => sum + Number(count) * (unit[name] ?? 0), 0);
}
