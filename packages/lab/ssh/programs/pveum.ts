import type { Json } from "@talosmith/lib/json.ts";
import { cliProgram, type Subcommands } from "./cli.ts";
import { asTable } from "./output.ts";

/** "(*)" behind what propagates, one privilege a line; here with commas, since the lab's tables have rows of one line. */
function permissions(data: Json): string {
  const rows = Object.entries(data as Record<string, Record<string, number>>).map(([path, privileges]) => ({
    "ACL path": path,
    Permissions: Object.entries(privileges)
      .sort()
      .map(([name, propagates]) => `${name}${propagates ? " (*)" : ""}`)
      .join(", "),
  }));
  return `${asTable(rows)}Permissions marked with '(*)' have the 'propagate' flag set.\n`;
}

/** PVE::CLI::pveum. */
const SUBCOMMANDS: Subcommands = {
  "user add": { verb: "POST", path: "/access/users", arguments: ["userid"] },
  "user modify": { verb: "PUT", path: "/access/users/:userid", arguments: ["userid"] },
  "user delete": { verb: "DELETE", path: "/access/users/:userid", arguments: ["userid"] },
  "user list": { verb: "GET", path: "/access/users", arguments: [], prints: true },
  "user permissions": { verb: "GET", path: "/access/permissions", arguments: ["userid"], prints: true, print: permissions },
  "user token add": {
    verb: "POST",
    path: "/access/users/:userid/token/:tokenid",
    arguments: ["userid", "tokenid"],
    prints: true,
  },
  "user token modify": {
    verb: "PUT",
    path: "/access/users/:userid/token/:tokenid",
    arguments: ["userid", "tokenid"],
    prints: true,
  },
  "user token delete": { verb: "DELETE", path: "/access/users/:userid/token/:tokenid", arguments: ["userid", "tokenid"] },
  "user token remove": { verb: "DELETE", path: "/access/users/:userid/token/:tokenid", arguments: ["userid", "tokenid"] },
  "user token list": { verb: "GET", path: "/access/users/:userid/token", arguments: ["userid"], prints: true },
  "user token permissions": {
    verb: "GET",
    path: "/access/permissions",
    arguments: ["userid", "tokenid"],
    asParameters: ({ userid, tokenid, ...rest }) => ({ ...rest, userid: `${String(userid)}!${String(tokenid)}` }),
    prints: true,
    print: permissions,
  },
  "group add": { verb: "POST", path: "/access/groups", arguments: ["groupid"] },
  "group list": { verb: "GET", path: "/access/groups", arguments: [], prints: true },
  "role add": { verb: "POST", path: "/access/roles", arguments: ["roleid"] },
  "role modify": { verb: "PUT", path: "/access/roles/:roleid", arguments: ["roleid"] },
  "role delete": { verb: "DELETE", path: "/access/roles/:roleid", arguments: ["roleid"] },
  "role list": { verb: "GET", path: "/access/roles", arguments: [], prints: true },
  "acl modify": { verb: "PUT", path: "/access/acl", arguments: ["path"] },
  "acl delete": { verb: "PUT", path: "/access/acl", arguments: ["path"], fixed: { delete: "1" } },
  "acl list": { verb: "GET", path: "/access/acl", arguments: [], prints: true },
  "pool add": { verb: "POST", path: "/pools", arguments: ["poolid"] },
  "pool modify": { verb: "PUT", path: "/pools", arguments: ["poolid"] },
  "pool delete": { verb: "DELETE", path: "/pools", arguments: ["poolid"] },
  "pool list": { verb: "GET", path: "/pools", arguments: [], prints: true },
};

const ALIASES = {
  ...{ useradd: "user add", usermod: "user modify", userdel: "user delete", groupadd: "group add" },
  ...{ roleadd: "role add", rolemod: "role modify", roledel: "role delete", aclmod: "acl modify", acldel: "acl delete" },
};

export const pveum = cliProgram("pveum", SUBCOMMANDS, ALIASES);
