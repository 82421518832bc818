import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";

const ROOT = join(import.meta.dirname, "../../..");

// The pair of the age project's own format tests: 32 bytes of 0x42.
export const RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
const SECRET_KEY = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";
export const PASSPHRASE = "correct horse battery staple";

/** An environment whose names and sizes are not all easy, a key and a passphrase beside it. */
export function furnish(home) {
  const environment = join(home, "homelab");
  mkdirSync(join(environment, "patches", "d".repeat(90)), { recursive: true });
  copyFileSync(join(ROOT, "environments/metal-example/config.yaml"), join(environment, "config.yaml"));
  writeFileSync(join(environment, "secrets.yaml"), "cluster:\n  id: some\n", { mode: 0o600 });
  writeFileSync(join(environment, "patches", "d".repeat(90), `${"f".repeat(90)}.yaml`), "a long name\n");
  writeFileSync(join(environment, "patches", "größe 1.yaml"), Buffer.alloc(200_000, "ü"), { mode: 0o640 });
  writeFileSync(join(environment, "patches", "empty.yaml"), "");
  writeFileSync(join(home, "key.txt"), `${SECRET_KEY}\n`, { mode: 0o600 });
  writeFileSync(join(home, "passphrase"), `${PASSPHRASE}\n`, { mode: 0o600 });
  return environment;
}

/** Every file of a folder with its mode and content, but what talosmith itself remembers. */
export function contentOf(folder) {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !name.startsWith(".talosmith") && statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, [statSync(join(folder, name)).mode & 0o777, readFileSync(join(folder, name)).toString("base64")]]),
  );
}

/** The same as `restore` makes it: for its owner alone. */
export function madePrivate(content) {
  return Object.fromEntries(Object.entries(content).map(([name, [, bytes]]) => [name, [0o600, bytes]]));
}

export function talosmith(args, env = {}) {
  return execute(process.execPath, [join(ROOT, "talosmith"), ...args], { env: { ...process.env, NO_COLOR: "1", ...env } });
}

/** What it says when it refuses; it must. */
export async function refusal(args, env) {
  const said = await talosmith(args, env).then(
    () => undefined,
    (error) => error.message,
  );
  if (said === undefined) throw new Error(`talosmith ${args.join(" ")} was not refused`);
  return said;
}
