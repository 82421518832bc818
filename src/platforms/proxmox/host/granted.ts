import { type Check, check, type Ref } from "../../../engine/step.ts";
import { type Permissions, readPermissions } from "../client/access.ts";
import { heldAt } from "../rights/held.ts";
import { lacking, placesFor } from "../rights/lacking.ts";
import type { Right } from "../rights/right.ts";
import type { Login } from "./login.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";

/** Checks that the token has all privileges in effect: other entries may override the granted ones. */
export function granted(root: Root, login: Login, needed: readonly Right[], needs: readonly Ref<unknown>[]): Check {
  const title = `the permissions of ${login.identity}`;
  return check({
    id: "host/granted",
    stage: "verify",
    title,
    needs,
    run: async () => {
      const words =
        login.token === undefined
          ? ["user", "permissions", login.user]
          : ["user", "token", "permissions", login.user, login.token];
      const list = async (...at: readonly string[]): Promise<Permissions> => {
        const line = command("pveum", ...words, ...at, "--output-format", "json");
        return readPermissions(await root.entry.json(`list ${title}`, line), title);
      };
      const ask = async (paths: readonly string[]) => {
        const all = await Promise.all(paths.map((path) => list("--path", path)));
        return new Map(paths.map((path, index) => [path, all[index]?.get(path) ?? new Map()]));
      };
      const missing = lacking(await heldAt(await list(), placesFor(needed), ask), needed);
      if (missing.length === 0)
        return [{ level: "ok", code: "GRANTED", message: `${login.identity} has every right this config needs` }];
      return missing.map(({ privilege, path, why }) => ({
        level: "fail",
        code: "NOT_GRANTED",
        message: `${login.identity} still lacks ${privilege} on ${path}, ${why}`,
        hint: `another entry overrides it; check:  pveum acl list, and ${command("pveum", ...words, "--path", path)}`,
      }));
    },
  });
}
