import { createHash } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { readDocuments } from "./documents.ts";
import { effectiveMain } from "./effective.ts";
import { ConfigRefused } from "./raw.ts";
import { at, type ConfigDocument, type Fields, isFields, list, word } from "./values.ts";

/** A complete config, with machine and cluster. */
export interface MachineConfig {
  documents: readonly ConfigDocument[];
  /** The document with machine and cluster, as it was sent. */
  main: Fields;
  /** The main document merged with the other documents: the effective settings. */
  effective: Fields;
  role: "controlplane" | "worker";
  clusterId: string;
  clusterName: string;
  endpoint: string;
  /** CA of the Talos API, PEM. The key exists only on control planes. */
  ca: { certificate: string; key?: string };
  acceptedCas: readonly string[];
  /** machine.token: trustd signs certificates for machines that have it. */
  token: string;
  certSans: readonly string[];
  /** A short digest that changes with everything the Talos API's certificates depend on. */
  trust: string;
  digest: string;
}

export interface CertificateAndKey {
  certificate: string;
  key: string;
}

/** A cache: a thousand machines are evaluated after every change. */
const known = new Map<string, MachineConfig | undefined>();
const KEPT = 4096;

/** Parses a complete config; undefined for a partial one. Some Talos version has accepted the text. */
export function machineConfig(text: string): MachineConfig | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size >= KEPT) known.clear();
  const config = read(text);
  known.set(text, config);
  return config;
}

/** Newest first: a config accepted by one version may be invalid for others. */
const MINORS = [14, 13, 12];

/** The documents of a config that some Talos has accepted, complete or not. */
export function documentsIn(text: string): ConfigDocument[] {
  for (const minor of MINORS) {
    try {
      return readDocuments(text, minor);
    } catch (error) {
      if (!(error instanceof ConfigRefused)) throw error;
    }
  }
  return [];
}

function read(text: string): MachineConfig | undefined {
  const documents = documentsIn(text);
  const main = documents.find((document) => document.kind === "v1alpha1")?.fields;
  if (!main || !isFields(main.machine) || !isFields(main.cluster)) return undefined;
  const effective = effectiveMain(documents, main);
  const key = decoded(at(main, "machine.ca.key"));
  const acceptedCas = list(at(main, "machine.acceptedCAs")).map((ca) => decoded(at(ca, "crt")));
  const certSans = list(at(main, "machine.certSANs")).map(word);
  const certificate = decoded(at(main, "machine.ca.crt"));
  return {
    documents,
    main,
    effective,
    role: ["controlplane", "init"].includes(word(at(main, "machine.type"))) ? "controlplane" : "worker",
    clusterId: textOf(at(effective, "cluster.id")),
    clusterName: textOf(at(effective, "cluster.clusterName")),
    endpoint: textOf(at(effective, "cluster.controlPlane.endpoint")),
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

/** Certificates and keys are base64-encoded PEM. */
function decoded(value: Json | undefined): string {
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
}

/** Node does not support Talos's PEM label of Ed25519 keys (docs/facts/talos.md#pem-labels). */
function usable(pem: string): string {
  return pem.replaceAll("ED25519 PRIVATE KEY", "PRIVATE KEY");
}

export function pair(config: MachineConfig, path: string): CertificateAndKey {
  return {
    certificate: decoded(at(config.effective, `${path}.crt`)),
    key: usable(decoded(at(config.effective, `${path}.key`))),
  };
}

export function value(config: MachineConfig, path: string): Json | undefined {
  return at(config.effective, path);
}

export function textAt(config: MachineConfig, path: string): string | undefined {
  const found = at(config.effective, path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

export function textsAt(config: MachineConfig, path: string): string[] {
  return list(at(config.effective, path)).map(word);
}

/** "v1.36.3" of "registry.k8s.io/kube-apiserver:v1.36.3"; without a tag, the Talos release's default. */
export function imageVersion(config: MachineConfig, path: string, otherwise: string): string {
  return /:(v[^@:/]+)(?:@|$)/.exec(textAt(config, path) ?? "")?.[1] ?? otherwise;
}
