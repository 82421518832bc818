import { type TalosmithError, userError, type Where } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { excessOf } from "@talosmith/lib/yaml/tokens.ts";
import { type Document, isMap, isScalar, LineCounter, parseAllDocuments } from "yaml";
import type { SecretsBundle } from "./bundle.ts";
import { bundleFrom } from "./read.ts";
import type { SecretsSource } from "./source.ts";

/** Reads the bundle from a control plane's config of any contract, which contains all of it. */
export function secretsFromConfig(text: string, { file, redactor }: { file: string; redactor: Redactor }): SecretsBundle {
  return bundleFrom(new ConfigSecrets(text, file), redactor);
}

interface Place {
  /** Absent = Talos' original document. */
  kind?: string;
  path: readonly (string | number)[];
  /** PEM as text, where the original document and secrets.yaml have it in base64. */
  pem?: true;
}

/** The fields of a config that hold the bundle's values: in the original document, or from Talos 1.14 on in separate ones. */
const PLACES: Readonly<Record<string, readonly Place[]>> = {
  "cluster.id": [{ path: ["cluster", "id"] }, { kind: "DiscoveryIdentityConfig", path: ["clusterID"] }],
  "cluster.secret": [{ path: ["cluster", "secret"] }, { kind: "DiscoveryIdentityConfig", path: ["clusterSecret"] }],
  "secrets.bootstraptoken": [{ path: ["cluster", "token"] }],
  "secrets.aescbcencryptionsecret": [{ path: ["cluster", "aescbcEncryptionSecret"] }],
  "trustdinfo.token": [{ path: ["machine", "token"] }],
  ...authority("os", ["machine", "ca"]),
  ...authority("etcd", ["cluster", "etcd", "ca"]),
  ...authority("k8s", ["cluster", "ca"], "KubeAPIServerCAConfig"),
  ...authority("k8saggregator", ["cluster", "aggregatorCA"], "KubeAggregatorCAConfig"),
  "certs.k8sserviceaccount.key": [
    { path: ["cluster", "serviceAccount", "key"] },
    { kind: "KubeServiceAccountConfig", path: ["issuer", "privateKey"], pem: true },
  ],
};

function authority(name: string, path: readonly string[], kind?: string): Record<string, readonly Place[]> {
  const newer = (part: string): Place[] => (kind === undefined ? [] : [{ kind, path: ["issuingCA", part], pem: true }]);
  return {
    [`certs.${name}.crt`]: [{ path: [...path, "crt"] }, ...newer("cert")],
    [`certs.${name}.key`]: [{ path: [...path, "key"] }, ...newer("key")],
  };
}

/** A machine config while secrets are read out of it. Never quotes it. */
class ConfigSecrets implements SecretsSource {
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #documents: readonly Document[];
  readonly #problems: TalosmithError[] = [];

  constructor(text: string, file: string) {
    this.#file = file;
    const excess = excessOf(text);
    if (excess) throw this.#error("This is not valid YAML", { file, line: 1, column: 1 }, excess.message);
    this.#documents = [...parseAllDocuments(text, { prettyErrors: false, lineCounter: this.#lines })];
    const error = this.#documents.flatMap((document) => document.errors)[0];
    if (error) throw this.#error("This is not valid YAML", this.#where(error.pos[0]), error.code);
    const type = this.#value({ path: ["machine", "type"] });
    if (type === "controlplane" || type === "init") return;
    throw this.#error(
      type === "worker" ? "This is a worker's config, which holds no keys" : "This is not a machine config",
      this.#where(0),
    );
  }

  text(path: string): string | undefined {
    const value = this.optional(path);
    if (value === undefined) this.problem(path, "is missing");
    return value;
  }

  optional(path: string): string | undefined {
    if (path === "secrets.secretboxencryptionsecret") return this.#secretbox();
    for (const place of PLACES[path] ?? []) {
      const value = this.#value(place);
      if (value === undefined) continue;
      const isPem = place.pem && value.startsWith("-----");
      return isPem ? Buffer.from(`${value.trimEnd()}\n`).toString("base64") : value;
    }
    return undefined;
  }

  problem(path: string, what: string): void {
    const place = (PLACES[path] ?? []).find((one) => this.#node(one) !== undefined) ?? PLACES[path]?.[0];
    const named = place ? [place.kind, place.path.join(".")].filter((part) => part !== undefined).join(" ") : path;
    const node = place && this.#node(place);
    this.#problems.push(this.#error(`${named} ${what}`, this.#where(node?.range?.[0] ?? 0)));
  }

  finish(): void {
    const [first, ...more] = this.#problems;
    if (!first) return;
    if (more.length === 0) throw first;
    throw userError("CONFIG_WITHOUT_SECRETS", {
      message: `${this.#file} does not contain all secrets: ${this.#problems.length} are missing or wrong`,
      hint: HINT,
      problems: this.#problems,
    });
  }

  /** The secretbox key by Talos's rule: the first key of the first provider that encrypts secrets. */
  #secretbox(): string | undefined {
    const before = this.#value({ path: ["cluster", "secretboxEncryptionSecret"] });
    if (before !== undefined) return before;
    const kind = "KubeEtcdEncryptionConfig";
    for (let index = 0; this.#node({ kind, path: ["config", "resources", index] }) !== undefined; index++) {
      const block: (string | number)[] = ["config", "resources", index];
      const encrypted = this.#node({ kind, path: [...block, "resources"] })?.toJSON();
      if (!Array.isArray(encrypted) || !encrypted.includes("secrets")) continue;
      return this.#value({ kind, path: [...block, "providers", 0, "secretbox", "keys", 0, "secret"] });
    }
    return undefined;
  }

  #value(place: Place): string | undefined {
    const node = this.#node(place);
    if (!isScalar(node) || node.value === null || node.value === "") return undefined;
    // The source, not the value: a token of digits is a number to YAML and text to Talos.
    return typeof node.value === "string" ? node.value : node.source;
  }

  #node({ kind, path }: Place) {
    const document = this.#documents.find(({ contents }) => isMap(contents) && contents.get("kind") === kind);
    const node = document?.getIn(path, true);
    return typeof node === "object" && node !== null && "range" in node
      ? (node as { range?: [number, number, number]; toJSON(): unknown })
      : undefined;
  }

  #error(message: string, where: Where, detail?: string): TalosmithError {
    return userError("CONFIG_WITHOUT_SECRETS", { message, hint: HINT, where, ...(detail !== undefined && { detail }) });
  }

  #where(offset: number): Where {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line, column: col };
  }
}

const HINT =
  "use the whole config of a control plane: controlplane.yaml of an environment, or what `talosctl get machineconfig v1alpha1 -o jsonpath={.spec}` prints for one";
