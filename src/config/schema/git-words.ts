import type { Wrong } from "./value.ts";

/** Checks of Git URLs, branches, folders, intervals and age keys. */

const SCP = /^([\w.-]+)@([\w.-]+):(?!\/\/)(.+)$/;

/** Checks a Git URL for Flux and Argo CD, which do not accept SSH's short form. */
export function gitUrl(value: string): Wrong | undefined {
  const [, user, host, path] = SCP.exec(value) ?? [];
  if (user !== undefined && host !== undefined && path !== undefined)
    return {
      says: "uses SSH's short form, which is not a URL",
      hint: `write ssh://${user}@${host}/${path.replace(/^\/+/, "")}`,
    };
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const such = "write ssh://git@github.com/me/cluster or https://github.com/me/cluster";
  if (url === undefined || url.host === "" || !/^(ssh|https?):$/.test(url.protocol))
    return { says: "is not the URL of a Git repository", hint: such };
  if (url.password !== "" || (url.protocol !== "ssh:" && url.username !== ""))
    return { says: "must not contain a password", hint: "use the keys username and password" };
  if (url.search !== "" || url.hash !== "" || url.pathname === "/")
    return { says: "is not the URL of a Git repository", hint: such };
  return undefined;
}

/** Branch names: the usual part of what git accepts. */
const BRANCH = /^(?!-)(?!.*(\.\.|\/\/|@\{|\.lock$|\/$|\.$))[\w][\w./+@#-]{0,243}$/;

export function branch(value: string): Wrong | undefined {
  return BRANCH.test(value) ? undefined : { says: "is not a branch name", hint: "write only the name, such as main" };
}

export function folder(value: string): Wrong | undefined {
  if (/^(\.\/?|(\.\/)?[\w@+-][\w.@+ -]*(\/[\w.@+ -]+)*\/?)$/.test(value) && !value.split("/").includes("..")) return undefined;
  return {
    says: "is not a folder of a repository",
    hint: "write its path from the root of the repository, such as ./clusters/homelab",
  };
}

/** Checks a duration in Go's notation. */
export function interval(value: string): Wrong | undefined {
  return /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value) && /[1-9]/.test(value)
    ? undefined
    : { says: "is not an interval", hint: "write a number and its unit, such as 30s, 1m or 1h" };
}

/** A line of age-keygen's output, which begins with comment lines. */
const AGE_KEY = /^AGE-SECRET-KEY-1[0-9A-Z]{58}$/m;

export function ageKey(value: string): Wrong | undefined {
  if (AGE_KEY.test(value)) return undefined;
  if (/^age1/.test(value)) return { says: "is a public key", hint: "write the private one, which begins with AGE-SECRET-KEY-1" };
  return { says: "is not an age key", hint: "use the output of age-keygen: a line that begins with AGE-SECRET-KEY-1" };
}
