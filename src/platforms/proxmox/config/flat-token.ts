import type { Entry, MapTree, ScalarTree } from "@talosmith/lib/yaml/tree.ts";
import type { Problem } from "../../../config/findings.ts";
import { made } from "../../../config/spellings/flat-values.ts";

/** The three halves of an API token, what each must look like, and what to write. */
const PARTS: readonly [key: string, pattern: RegExp, says: string, hint: string][] = [
  ["proxmox_api_user", /^[^\s:/@!=]+@[A-Za-z][\w.-]+$/, "is not a user with a realm", "write both, such as root@pam"],
  ["proxmox_api_token_id", /^([^\s!]+!)?[A-Za-z][\w.-]*$/, "is not a token name", "write the token's name, such as terraform"],
  [
    "proxmox_api_token_secret",
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    "is not the secret of an API token",
    "write the secret that Proxmox showed when the token was created, such as 01234567-89ab-cdef-0123-456789abcdef",
  ],
];

/** user, name and secret as the one value that is sent. Nothing when one of them is missing or cannot be, which is then told. */
export function tokenOf(flat: MapTree): { entry?: Entry; problems: Problem[] } {
  const parts = PARTS.map(([key]) => flat.entries.get(key));
  const scalars = parts
    .map((part) => part?.value)
    .filter((value): value is ScalarTree => value?.kind === "scalar" && value.value !== null);
  if (scalars.length < PARTS.length) return { problems: [] };
  const problems = PARTS.flatMap(([key, pattern, says, hint], index): Problem[] => {
    const { value, at, written } = scalars[index] as ScalarTree;
    if (pattern.test(String(value))) return [];
    return [
      {
        code: "CONFIG_VALUE",
        at,
        message: `${key} ${says}`,
        hint: written === undefined ? hint : `check the value of ${written}`,
      },
    ];
  });
  const [user, name, secret] = scalars as [ScalarTree, ScalarTree, ScalarTree];
  const value = made([secret, user, name], (half, who, token) => `${who}!${token?.replace(/^.*!/, "")}=${half}`);
  return problems.length > 0 ? { problems } : { entry: { key: parts[2]?.key ?? flat.at, value }, problems };
}
