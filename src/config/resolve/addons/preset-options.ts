import type { Redactor, Secret } from "@talosmith/lib/secret.ts";
import { eachScalar, find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { ChartOptions, Preset, Values } from "../../../catalog/addons/addon.ts";
import type { PRESETS } from "../../../catalog/addons/presets.ts";
import type { GitKeys } from "../../git-keys.ts";
import { manifestValue } from "../../manifests/manifest-values.ts";
import type { PresetKey, Told } from "../../told-presets.ts";
import { bare, canonical, defined, sure } from "../values.ts";

type Options<K extends PresetKey> = (typeof PRESETS)[K] extends Preset<infer O> ? O : never;
type Own<K extends PresetKey> = Omit<Options<K>, keyof ChartOptions>;

/** What the file's words come to in, beside the words themselves. */
export interface Telling {
  readonly tree: Tree;
  readonly redactor: Redactor;
  readonly gitKeys: GitKeys;
}

/** The options of a preset, from a file without problems. */
export function presetOptions<K extends PresetKey>(key: K, told: Told<K>, telling: Telling): Options<K> {
  const own: Own<K> = OWN[key](told, telling);
  return { ...own, ...chartOptions(told, ["addons", key], telling.tree) } as unknown as Options<K>;
}

/** What can be told of any chart. `path`: where it stands in the file. */
export function chartOptions(
  told: { version?: string | undefined; repository?: string | undefined; namespace?: string | undefined },
  path: Path,
  tree: Tree,
): ChartOptions {
  const { version, repository, namespace } = told;
  // As Helm reads the same text, which is as kubectl does.
  const values = find(tree, [...path, "values"]);
  return {
    ...defined({ version, namespace, repository: repository === undefined ? undefined : bare(repository) }),
    ...(values !== undefined && {
      values: manifestValue(values, () => {}) as Values,
      secretPaths: referencesIn(values),
    }),
  };
}

/** Paths below a value that were written as references: "auth.password", "users.0.token". */
function referencesIn(values: Tree): string[] {
  const found: string[] = [];
  eachScalar(values, ({ written }, path) => {
    if (written !== undefined) found.push(path.join("."));
  });
  return found;
}

/** What is around it in a file that age-keygen has written tells nothing. */
function ageKeyOf(text: string | undefined, telling: Telling): Secret | undefined {
  for (const key of text?.match(/AGE-SECRET-KEY-1[0-9A-Z]+/g) ?? []) telling.redactor.learn(key);
  return secretOf(text, telling);
}

const secretOf = (text: string | undefined, { redactor }: Telling): Secret | undefined =>
  text === undefined ? undefined : redactor.secret(text);

/** Each preset's own words. */
const OWN: { readonly [K in PresetKey]: (told: Told<K>, telling: Telling) => Own<K> } = {
  cilium: ({ hubble, loadBalancer, bgp, gatewayApi }) => ({
    ...defined({ hubble }),
    ...(loadBalancer !== undefined && {
      loadBalancer: {
        addresses: sure(loadBalancer.addresses).map(sure),
        announce: loadBalancer.announce ?? "l2",
        ...defined({ interfaces: loadBalancer.interfaces?.map(sure) }),
      },
    }),
    ...(bgp !== undefined && {
      bgp: {
        asn: sure(bgp.asn),
        peers: sure(bgp.peers).map((peer) => ({ address: canonical(sure(peer?.address)), asn: sure(peer?.asn) })),
      },
    }),
    ...(gatewayApi !== undefined && { gatewayApi: typeof gatewayApi === "boolean" ? gatewayApi : defined(gatewayApi) }),
  }),
  flux: ({ url, interval, ageKey, ...git }, telling) => ({
    url: sure(url),
    ...gitOptions(git, telling.gitKeys.flux, telling),
    ...defined({ interval, ageKey: ageKeyOf(ageKey, telling) }),
  }),
  argocd: ({ url, ...git }, telling) => ({ ...defined({ url }), ...gitOptions(git, telling.gitKeys.argocd, telling) }),
  metricsServer: () => ({}),
  nvidia: () => ({}),
  talosCcm: () => ({}),
  certManager: () => ({}),
  monitoring: ({ destinations, logs }, telling) => ({
    destinations: Object.fromEntries(
      Object.entries(sure(destinations)).map(([name, destination]) => {
        const { type, url, username, password } = sure(destination);
        return [
          name,
          { type: sure(type), url: sure(url), ...defined({ username, password: secretOf(password, telling) }) },
        ] as const;
      }),
    ),
    ...defined({ logs }),
  }),
  longhorn: ({ replicas, volume, defaultClass }) => defined({ replicas, volume, defaultClass }),
  localPath: ({ path, defaultClass }) => defined({ path, defaultClass }),
};

type Git = Pick<Told<"flux">, "branch" | "path" | "knownHosts" | "username" | "password">;

function gitOptions({ branch, path, knownHosts, username, password }: Git, key: string | undefined, telling: Telling) {
  return defined({
    branch,
    path,
    knownHosts,
    username,
    key: secretOf(key, telling),
    password: secretOf(password, telling),
  });
}
