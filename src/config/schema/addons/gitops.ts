import { PRESETS } from "../../../catalog/addons/presets.ts";
import * as git from "../git-words.ts";
import { text } from "../value.ts";
import { preset, toldPreset } from "./chart-options.ts";

const REFERENCE = `Better a reference (\${env:NAME} or \${file:PATH}) than`;

const url = text({
  about: "The Git repository that is followed, by ssh:// or https://.",
  example: "ssh://git@github.com/me/cluster",
  check: git.gitUrl,
});

const repository = {
  branch: text({ about: "Branch that is followed.", example: "main", byDefault: "main", check: git.branch }).optional(),
  path: text({
    about: "Folder of the repository that describes this cluster.",
    example: "./clusters/homelab",
    byDefault: "./",
    check: git.folder,
  }).optional(),
  key: text({
    about: `With ssh://: file with the private key, or \${env:NAME} or \${file:PATH} that hold the key itself. The repository should know it as a deploy key that may only read.`,
    example: "deploy-key",
  }).optional(),
  knownHosts: text({
    about:
      "With ssh://: the server's keys, as lines of a known_hosts file. By default those of github.com, gitlab.com and codeberg.org.",
    example: `\${file:known_hosts}`,
    check: (value) =>
      value.split("\n").some((line) => /^[^\s#]\S*\s+[\w.@-]+\s+AAAA\S+/.test(line.trim()))
        ? undefined
        : { says: "holds no line of a known_hosts file", hint: "write what this prints:\nssh-keyscan HOST" },
  }).optional(),
  username: text({ about: "With https://: who reads the repository.", example: "git" }).optional(),
  password: text({
    about: `With https://: password or access token. ${REFERENCE} the password itself.`,
    example: `\${env:GIT_TOKEN}`,
  }).optional(),
};

export const flux = toldPreset(
  PRESETS.flux,
  "Flux, which from then on brings the cluster what a Git repository describes.",
  "{ url: ssh://git@github.com/me/cluster, key: deploy-key }",
  {
    url,
    ...repository,
    interval: text({
      about: "How often the repository is looked at.",
      example: "1m",
      byDefault: "1m",
      check: git.interval,
    }).optional(),
    ageKey: text({
      about: `Private age key for the repository's SOPS secrets. ${REFERENCE} the key itself. By default age.agekey of the environment's folder, which is made when absent.`,
      example: `\${file:age.agekey}`,
      check: git.ageKey,
    }).optional(),
  },
);

export const argocd = preset(PRESETS.argocd, "Argo CD, and with url an application that follows a Git repository.", {
  url: url.optional(),
  ...repository,
});
