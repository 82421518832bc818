import { type Check, check, type Ref } from "../../../engine/step.ts";
import { flag, object } from "../client/loose.ts";
import { lacking } from "../rights/lacking.ts";
import type { Right } from "../rights/right.ts";
import type { Login } from "./login.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";

/** Whether all of it comes out at the token: something above or beside our entries may take it away again. */
export function granted(root: Root, login: Login, needed: readonly Right[], needs: readonly Ref<unknown>[]): Check {
  const title = `what ${login.identity} may do`;
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
      const found = object(await root.entry.json(`list ${title}`, command("pveum", ...words, "--output-format", "json")), title);
      const permissions = new Map(
        Object.entries(found).map(([path, privileges]) => [
          path,
          new Map(Object.entries(object(privileges, title)).map(([name, below]) => [name, flag(below)])),
        ]),
      );
      const missing = lacking(permissions, needed);
      if (missing.length === 0)
        return [{ level: "ok", code: "GRANTED", message: `${login.identity} has every right this config needs` }];
      return missing.map(({ privilege, path, why }) => ({
        level: "fail",
        code: "NOT_GRANTED",
        message: `${login.identity} still lacks ${privilege} on ${path}, ${why}`,
        hint: `another entry takes it away; look at:  pveum acl list, and ${command("pveum", ...words, "--path", path)}`,
      }));
    },
  });
}
