import { knownHostsOf } from "../../../catalog/addons/git-source.ts";
import type { Report } from "../../report.ts";
import { told } from "../../told-presets.ts";
import type { Facts } from "../facts.ts";

/** Checks that the credentials of a repository fit its URL and that the connection is safe. */
export function git(preset: "flux" | "argocd", { draft }: Facts, report: Report): void {
  const options = told(draft, preset);
  if (options === undefined) return;
  const name = `addons.${preset}`;
  const at = (key: string) => ["addons", preset, key];
  const url = options.url === undefined ? undefined : new URL(options.url);
  if (url === undefined) {
    for (const key of REPOSITORY)
      if (options[key] !== undefined)
        report.problem(at(key), {
          message: `${name}.${key} is set, but ${name}.url is missing`,
          hint: `add url, or remove ${key}`,
          on: "key",
        });
    return;
  }
  const ssh = url.protocol === "ssh:";
  for (const key of ssh ? BY_HTTPS : BY_SSH)
    if (options[key] !== undefined)
      report.problem(at(key), {
        message: `${name}.${key} is for ${ssh ? "https" : "ssh"}://, but ${name}.url is ${url.protocol}//`,
        hint: ssh ? `remove it, or write the url with https://` : `remove it, or write the url with ssh://`,
        on: "key",
      });
  if (ssh) bySsh(preset, url, options, report);
  else byHttps(preset, url, options, report);
}

const BY_SSH = ["key", "knownHosts"] as const;
const BY_HTTPS = ["username", "password"] as const;
const REPOSITORY = ["branch", "path", ...BY_SSH, ...BY_HTTPS] as const;

type Options = Partial<Record<(typeof REPOSITORY)[number], string | undefined>>;

function bySsh(preset: string, url: URL, { key, knownHosts }: Options, report: Report): void {
  const path = ["addons", preset];
  if (key === undefined && !report.has([...path, "key"]))
    report.problem(
      path,
      {
        message: `addons.${preset}.key is missing: an ssh:// repository needs a private key`,
        hint: `create one, add its .pub file to the repository as a read-only deploy key, and name the private key here:\nssh-keygen -t ed25519 -f deploy-key -N ''\nkey: deploy-key`,
        remark: "key is missing",
        on: "key",
      },
      "CONFIG_MISSING_KEY",
    );
  if (knownHosts !== undefined || report.has([...path, "knownHosts"]) || knownHostsOf(url.href) !== undefined) return;
  report.problem(
    [...path, "url"],
    {
      message: `addons.${preset}.knownHosts is missing: the keys of ${url.hostname} are not known`,
      hint: `save the output of this command, check it, and refer to the file:\nssh-keyscan${url.port === "" ? "" : ` -p ${url.port}`} ${url.hostname} > known_hosts\nknownHosts: \${file:known_hosts}`,
    },
    "CONFIG_MISSING_KEY",
  );
}

function byHttps(preset: string, url: URL, { username, password }: Options, report: Report): void {
  const at = (key: string) => ["addons", preset, key];
  if (username !== undefined && password === undefined && !report.has(at("password")))
    report.problem(at("username"), {
      message: `addons.${preset}.username is set, but password is missing`,
      hint: "add password, or remove username",
      on: "key",
    });
  if (password !== undefined && username === undefined && !report.has(at("username")))
    report.problem(at("password"), {
      message: `addons.${preset}.password is set, but username is missing`,
      hint: "add username; with an access token most servers accept any, such as git",
      on: "key",
    });
  if (url.protocol === "http:")
    report.warn(at("url"), {
      message: `addons.${preset}.url is reached without TLS, so the repository's content could be changed in transit`,
      hint: "use https:// or ssh://",
    });
}
