import { createHash } from "node:crypto";
import type { Json } from "../../../lib/json.ts";
import { type ConfigDocument, type Fields, isFields, readDocuments } from "./documents.ts";
import { at, list, word } from "./validate.ts";

/** A complete config: it has a machine and a cluster. */
export interface MachineConfig {
  documents: readonly ConfigDocument[];
  main: Fields;
  role: "controlplane" | "worker";
  clusterId: string;
  clusterName: string;
  endpoint: string;
  /** Of the Talos API: PEM. The key only on control planes. */
  ca: { certificate: string; key?: string };
  acceptedCas: readonly string[];
  /** machine.token: who has it is signed by trustd. */
  token: string;
  certSans: readonly string[];
  /** Short, and another whenever something that the Talos API's certificates depend on is. */
  trust: string;
  digest: string;
}

export interface CertificateAndKey {
  certificate: string;
  key: string;
}

/** Parsed once: a thousand machines are looked at after every change. */
const known = new Map<string, MachineConfig | undefined>();
const KEPT = 4096;

/** undefined for a partial config. The text was accepted by some Talos, whatever its version. */
export function machineConfig(text: string): MachineConfig | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size >= KEPT) known.clear();
  const config = read(text);
  known.set(text, config);
  return config;
}

const NEWEST_MINOR = 99;

function read(text: string): MachineConfig | undefined {
  const documents = readDocuments(text, NEWEST_MINOR);
  const main = documents.find((document) => document.kind === "v1alpha1")?.fields;
  if (!main || !isFields(main.machine) || !isFields(main.cluster)) return undefined;
  const key = decoded(at(main, "machine.ca.key"));
  const acceptedCas = list(at(main, "machine.acceptedCAs")).map((ca) => decoded(at(ca, "crt")));
  const certSans = list(at(main, "machine.certSANs")).map(word);
  const certificate = decoded(at(main, "machine.ca.crt"));
  return {
    documents,
    main,
    role: at(main, "machine.type") === "worker" ? "worker" : "controlplane",
    clusterId: textOf(at(main, "cluster.id")),
    clusterName: textOf(at(main, "cluster.clusterName")),
    endpoint: textOf(at(main, "cluster.controlPlane.endpoint")),
    ca: { certificate, ...(key !== "" && { key: usable(key) }) },
    acceptedCas,
    token: textOf(at(main, "machine.token")),
    certSans,
    trust: digest(JSON.stringify([certificate, key, acceptedCas, certSans])).slice(0, 12),
    digest: digest(text).slice(0, 16),
  };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Certificates and keys are base64 around PEM. */
function decoded(value: Json | undefined): string {
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
}

/** talos.md 1.2: Node does not know the label Talos gives to Ed25519 keys. */
function usable(pem: string): string {
  return pem.replaceAll("ED25519 PRIVATE KEY", "PRIVATE KEY");
}

export function pair(config: MachineConfig, path: string): CertificateAndKey {
  return {
    certificate: decoded(at(config.main, `${path}.crt`)),
    key: usable(decoded(at(config.main, `${path}.key`))),
  };
}

export function value(config: MachineConfig, path: string): Json | undefined {
  return at(config.main, path);
}

export function textAt(config: MachineConfig, path: string): string | undefined {
  const found = at(config.main, path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

export function textsAt(config: MachineConfig, path: string): string[] {
  return list(at(config.main, path)).map(word);
}

/** "v1.36.3" of "registry.k8s.io/kube-apiserver:v1.36.3"; without a tag, what this Talos brings. */
export function imageVersion(config: MachineConfig, path: string, otherwise: string): string {
  return /:(v[^@:/]+)(?:@|$)/.exec(textAt(config, path) ?? "")?.[1] ?? otherwise;
}
