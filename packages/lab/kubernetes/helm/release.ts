import { gunzipSync, gzipSync } from "node:zlib";
import type { KubeObject, Loose } from "../objects.ts";
import type { ClusterApi } from "./api.ts";
import type { Chart } from "./chart.ts";

export interface Release {
  name: string;
  info: {
    first_deployed: string;
    last_deployed: string;
    deleted: string;
    description: string;
    status: string;
    notes?: string;
  };
  chart: Chart;
  /** The user's values. */
  config?: Loose;
  manifest: string;
  hooks?: Hook[];
  version: number;
  namespace: string;
  /** The user's own labels, stored on the Secret only. */
  labels?: Record<string, string>;
}

export interface Hook {
  name: string;
  kind: string;
  path: string;
  manifest: string;
  events: string[];
  last_run: { started_at: string; completed_at: string; phase: string };
  weight?: number;
  delete_policies?: string[];
}

const TYPE = "helm.sh/release.v1";
const SYSTEM_LABELS = ["name", "owner", "status", "version", "createdAt", "modifiedAt"];

/** Release Secrets as Helm 3 stores them: JSON, gzipped, base64, and base64 again as in every Secret. */
export class Releases {
  readonly #api: ClusterApi;
  readonly #namespace: string;
  readonly #now: () => number;

  constructor(api: ClusterApi, namespace: string, now: () => number) {
    this.#api = api;
    this.#namespace = namespace;
    this.#now = now;
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#namespace}/secrets`;
  }

  /** Every revision, oldest first. */
  async history(name: string): Promise<Release[]> {
    const selector = encodeURIComponent(`name=${name},owner=helm`);
    const list: Loose = await this.#api.call("GET", `${this.#path}?labelSelector=${selector}`);
    const found: KubeObject[] = (list?.items ?? []).filter(({ type }: KubeObject) => type === TYPE);
    return found.map(decodeRelease).sort((a, b) => a.version - b.version);
  }

  async create(release: Release): Promise<void> {
    await this.#api.call("POST", this.#path, this.#secret(release, "createdAt"));
  }

  async update(release: Release): Promise<void> {
    await this.#api.call("PUT", `${this.#path}/${secretName(release)}`, this.#secret(release, "modifiedAt"));
  }

  async remove(release: Release): Promise<void> {
    await this.#api.call("DELETE", `${this.#path}/${secretName(release)}`);
  }

  #secret(release: Release, when: string): Loose {
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: secretName(release),
        namespace: this.#namespace,
        labels: {
          ...release.labels,
          name: release.name,
          owner: "helm",
          status: release.info.status,
          version: String(release.version),
          [when]: String(Math.floor(this.#now() / 1000)),
        },
      },
      type: TYPE,
      data: { release: encodeRelease(release) },
    };
  }
}

function secretName({ name, version }: Release): string {
  return `sh.helm.release.v1.${name}.v${version}`;
}

export function encodeRelease({ labels: _, ...release }: Release): string {
  const once = gzipSync(Buffer.from(JSON.stringify(release)), { level: 9 }).toString("base64");
  return Buffer.from(once).toString("base64");
}

export function decodeRelease({ metadata, data }: KubeObject): Release {
  const once = Buffer.from(data?.release ?? "", "base64").toString("utf8");
  const release = JSON.parse(gunzipSync(Buffer.from(once, "base64")).toString("utf8")) as Release;
  const own = Object.entries(metadata.labels ?? {}).filter(([key]) => !SYSTEM_LABELS.includes(key));
  return { ...release, labels: Object.fromEntries(own) };
}

/** The labels of --labels over those of the previous revision; "null" removes one. */
export function customLabels(given: readonly string[], before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = given
    .flatMap((list) => list.split(","))
    .map((pair) => {
      const at = pair.indexOf("=");
      if (at < 0)
        throw new Error(
          `invalid argument ${JSON.stringify(pair)} for "-l, --labels" flag: ${pair} must be formatted as key=value`,
        );
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    });
  if (pairs.some(([key]) => SYSTEM_LABELS.includes(key)))
    throw new Error(`user supplied labels contains system reserved label name. System labels: [${SYSTEM_LABELS.join(" ")}]`);
  return Object.fromEntries(Object.entries({ ...before, ...Object.fromEntries(pairs) }).filter(([, value]) => value !== "null"));
}

export function isPending({ info }: Release): boolean {
  return info.status.startsWith("pending-");
}
