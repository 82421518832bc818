import { PRESETS } from "../../../catalog/addons/presets.ts";
import * as git from "../git-words.ts";
import { text } from "../value.ts";
import { preset, toldPreset } from "./chart-options.ts";

const REFERENCE = `Prefer a reference (\${env:NAME} or \${file:PATH}) to`;

const url = text({
  about: "URL of the Git repository to follow, with ssh:// or https://.",
  example: "ssh://git@github.com/me/cluster",
  check: git.gitUrl,
});

const repository = {
  branch: text({ about: "Branch to follow.", example: "main", byDefault: "main", check: git.branch }).optional(),
  path: text({
    about: "Folder in the repository that describes this cluster.",
    example: "./clusters/homelab",
    byDefault: "./",
    check: git.folder,
  }).optional(),
  key: text({
    about: `With ssh://: file with the private key, or \${env:NAME} or \${file:PATH} with the key itself. Add its public key to the repository as a read-only deploy key.`,
    example: "deploy-key",
  }).optional(),
  knownHosts: text({
    about:
      "With ssh://: the server's host keys, as lines of a known_hosts file. By default those of github.com, gitlab.com and codeberg.org.",
    example: `\${file:known_hosts}`,
    check: (value) =>
      value.split("\n").some((line) => /^[^\s#]\S*\s+[\w.@-]+\s+AAAA\S+/.test(line.trim()))
        ? undefined
        : { says: "contains no known_hosts line", hint: "use the output of this command:\nssh-keyscan HOST" },
  }).optional(),
  username: text({ about: "With https://: user name.", example: "git" }).optional(),
  password: text({
    about: `With https://: password or access token. ${REFERENCE} the password itself.`,
    example: `\${env:GIT_TOKEN}`,
  }).optional(),
};

export const flux = toldPreset(
  PRESETS.flux,
  "Flux, which applies the contents of a Git repository to the cluster.",
  "{ url: ssh://git@github.com/me/cluster, key: deploy-key }",
  {
    url,
    ...repository,
    interval: text({
      about: "How often to check the repository.",
      example: "1m",
      byDefault: "1m",
      check: git.interval,
    }).optional(),
    ageKey: text({
      about: `Private age key for the repository's SOPS secrets. ${REFERENCE} the key itself. By default age.agekey in the environment's folder, which is generated when absent.`,
      example: `\${file:age.agekey}`,
      check: git.ageKey,
    }).optional(),
  },
);

export const argocd = preset(PRESETS.argocd, "Argo CD, and with url an Application that follows a Git repository.", {
  url: url.optional(),
  ...repository,
});
