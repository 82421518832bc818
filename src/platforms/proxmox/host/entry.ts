import { userError } from "@talosmith/lib/errors.ts";
import { type Read, type Ref, type Step, step } from "../../../engine/step.ts";
import { type Acl, NO_ACCESS, readAcl, shadowedRoles } from "./acl.ts";
import type { Login } from "./login.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";

/** The entries that are missing at a path. */
interface Lacking {
  /** Empty when nothing is lacking. */
  line: string;
  /** "TalosmithDownload of talosmith@pve" */
  carried: string[];
}

/**
 * Grants roles at one path to the user and its token: a token with privilege separation has only what both have. An entry replaces inherited ones, so
 * a path gets all roles that are needed there, and the inherited ones too: other tokens of the user may need them.
 */
export function entry(
  root: Root,
  login: Login,
  path: string,
  roles: readonly string[],
  needs: readonly Ref<unknown>[],
): Step<Lacking, void> {
  const title = `rights of ${login.identity} on ${path}`;
  const id = `host/entry${path}`;
  const wanted = [...roles].sort();
  const look = async (c: Read) => lackingAt(await readAcl(root, c), login, path, wanted);
  return step<Lacking, void>({
    id,
    stage: "preflight",
    title,
    needs,
    observe: async (c) => ({ is: "present", actual: await look(c), owner: "shared" }),
    plan: (seen) => {
      if ("later" in seen || seen.is !== "present" || seen.actual.line === "") return [];
      const { line, carried } = seen.actual;
      const kept = carried.length === 0 ? [] : [{ path: "carried over", from: null, to: `carries over ${carried.join(", ")}` }];
      return [{ id, step: id, verb: "create", subject: title, fields: [{ path: "runs", from: null, to: line }, ...kept] }];
    },
    // All entries are in one file, and each change of it takes the cluster's lock.
    lanes: () => [{ key: "changes of users, roles and rights", limit: 1 }],
    apply: async (_, c) => {
      const { line } = await look(c);
      if (line === "") return;
      await c.mutate({ key: `acl ${path}`, what: line }, async () => {
        await root.entry.run(`give ${wanted.join(", ")} on ${path}`, line);
        return undefined;
      });
    },
    output: () => {},
  });
}

interface Subject {
  flag: string;
  id: string;
}

/** root has everything but its tokens. */
function subjectsOf({ user, identity }: Login): Subject[] {
  return [
    ...(user === "root@pam" ? [] : [{ flag: "--users", id: user }]),
    ...(identity === user ? [] : [{ flag: "--tokens", id: identity }]),
  ];
}

/** Gives each subject all its roles in one command, so that it never has fewer than before. */
function lackingAt(acl: Acl, login: Login, path: string, wanted: readonly string[]): Lacking {
  const subjects = subjectsOf(login);
  const has = ({ id }: Subject, role: string) =>
    acl.entries.some((one) => one.path === path && one.subject === id && one.role === role && one.propagate);
  if (subjects.every((subject) => wanted.every((role) => has(subject, role)))) return { line: "", carried: [] };
  const grants = subjects.map((subject) => {
    const shadowed = shadowedRoles(acl, subject.id, path, wanted);
    if (shadowed.has(NO_ACCESS)) throw keptOut(subject, path);
    const carried = (below: boolean) => [...shadowed].flatMap(([role, propagates]) => (propagates === below ? [role] : []));
    return { subject, here: carried(false), below: carried(true) };
  });
  const lines = [
    ...grants.flatMap(({ subject, here }) => (here.length > 0 ? [modify(path, [subject], here, "--propagate", "0")] : [])),
    ...bySameRoles(grants).map(([roles, subjects]) => modify(path, subjects, [...wanted, ...roles].sort())),
  ];
  const carried = grants.flatMap(({ subject, here, below }) =>
    [...below, ...here].sort().map((role) => `${role} of ${subject.id}`),
  );
  return { line: lines.join(" && "), carried };
}

function bySameRoles(grants: readonly { subject: Subject; below: readonly string[] }[]): [readonly string[], Subject[]][] {
  const groups = new Map<string, [readonly string[], Subject[]]>();
  for (const { subject, below } of grants) {
    const group = groups.get(below.join()) ?? [below, []];
    group[1].push(subject);
    groups.set(below.join(), group);
  }
  return [...groups.values()];
}

function modify(path: string, subjects: readonly Subject[], roles: readonly string[], ...more: readonly string[]): string {
  return command(
    "pveum",
    "acl",
    "modify",
    path,
    ...subjects.flatMap(({ flag, id }) => [flag, id]),
    "--roles",
    roles.join(","),
    ...more,
  );
}

function keptOut({ id }: Subject, path: string) {
  return userError("ACL_NO_ACCESS", {
    message: `Unable to give ${id} rights on ${path}: an entry with the role NoAccess denies access there`,
    detail: "the entry is for the user, its token or one of its groups, on this path or above it; talosmith does not override it",
    hint: "find it as root with  pveum acl list, and if it is not needed remove it:  pveum acl delete PATH --users USER --roles NoAccess",
  });
}
