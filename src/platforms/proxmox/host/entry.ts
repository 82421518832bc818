import { type Read, type Ref, type Step, step } from "../../../engine/step.ts";
import { flag, list, requiredText } from "../client/loose.ts";
import type { Login } from "./login.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";

/** An entry of the access control list. */
interface Entry {
  path: string;
  subject: string;
  role: string;
  propagate: boolean;
}

/**
 * Roles at one path, for the user and for its token: a token whose privileges are separated has what both have. An entry there replaces what comes
 * from above, so all that is needed at a path is given at that path.
 */
export function entry(
  root: Root,
  login: Login,
  path: string,
  roles: readonly string[],
  needs: readonly Ref<unknown>[],
): Step<string[], void> {
  const title = `rights of ${login.identity} on ${path}`;
  const id = `host/entry${path}`;
  const wanted = [...roles].sort();
  const subjects = subjectsOf(login);
  const line = command(
    "pveum",
    "acl",
    "modify",
    path,
    ...subjects.flatMap(({ flag: name, id: who }) => [name, who]),
    "--roles",
    wanted.join(","),
  );
  const held = async (c: Read): Promise<string[]> => {
    const entries = (await entriesOf(root, c)).filter((one) => one.path === path && one.propagate);
    return wanted.filter((name) =>
      subjects.every(({ id: who }) => entries.some((one) => one.subject === who && one.role === name)),
    );
  };
  return step<string[], void>({
    id,
    stage: "preflight",
    title,
    needs,
    observe: async (c) => ({ is: "present", actual: await held(c), owner: "shared" }),
    plan: (seen) => {
      const actual = "later" in seen || seen.is !== "present" ? [] : seen.actual;
      const missing = wanted.filter((name) => !actual.includes(name));
      if (missing.length === 0) return [];
      return [{ id, step: id, verb: "create", subject: title, fields: [{ path: "runs", from: null, to: line }] }];
    },
    // One file holds them all, and each change of it takes the cluster's lock.
    lanes: () => [{ key: "user.cfg", limit: 1 }],
    apply: async (_, c) => {
      await c.mutate({ key: `acl ${path}`, what: line }, async () => {
        await root.entry.run(`give ${wanted.join(", ")} on ${path}`, line);
        return undefined;
      });
    },
    output: () => {},
  });
}

/** root has everything but its tokens. */
function subjectsOf({ user, identity }: Login): { flag: string; id: string }[] {
  return [
    ...(user === "root@pam" ? [] : [{ flag: "--users", id: user }]),
    ...(identity === user ? [] : [{ flag: "--tokens", id: identity }]),
  ];
}

function entriesOf(root: Root, c: Read): Promise<Entry[]> {
  return c.shared("host acl", async () => {
    const items = list(
      await root.entry.json("list who may what", "pveum acl list --output-format json"),
      "the access control list",
    );
    return items.map((item) => ({
      path: requiredText(item.path, "an entry's path"),
      subject: requiredText(item.ugid, "an entry's subject"),
      role: requiredText(item.roleid, "an entry's role"),
      propagate: flag(item.propagate ?? 1),
    }));
  });
}
