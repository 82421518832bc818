import { gunzipSync } from "node:zlib";
import { messageOf, remoteError } from "@talosmith/lib/errors.ts";
import { parseJson } from "@talosmith/lib/json.ts";
import type { ListRef } from "../client/kubernetes-client.ts";
import type { Secret } from "../objects.ts";
import type { Values } from "./release.ts";

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/** Helm's record of one revision of a release. */
export interface StoredRelease {
  /** Name of the secret it is in. */
  record: string;
  revision: number;
  /** deployed, failed, superseded, pending-install, pending-upgrade, pending-rollback, uninstalling, uninstalled */
  status: string;
  chart: string;
  version: string;
  /** The given values, not those computed by the chart. */
  values: Values;
  /** When Helm last touched it: RFC 3339. */
  since: string;
}

/** The Secrets of a release, without replaced revisions, which are large and many. */
export function recordsOf(release: { name: string; namespace: string }, which: "current" | "all"): ListRef {
  return {
    apiVersion: "v1",
    kind: "Secret",
    namespace: release.namespace,
    labelSelector: `owner=helm,name=${release.name}${which === "current" ? ",status!=superseded" : ""}`,
  };
}

/** States in which Helm assumes another running operation and refuses to continue. */
const BLOCKING = new Set(["pending-install", "pending-upgrade", "pending-rollback", "uninstalling"]);

export function isBlocking(status: string): boolean {
  return BLOCKING.has(status);
}

/** The unfinished records: after their removal Helm continues from the last complete revision, or starts again. */
export function blockingRecords(secrets: readonly Secret[]): string[] {
  return secrets.filter(({ metadata }) => isBlocking(metadata.labels?.status ?? "")).map(({ metadata }) => metadata.name);
}

export function latestRelease(secrets: readonly Secret[]): StoredRelease | undefined {
  const last = latestRecord(secrets);
  return last && decodeRelease(last);
}

export function latestRecord(secrets: readonly Secret[]): Secret | undefined {
  const revision = ({ metadata }: Secret) => Number(metadata.labels?.version ?? 0);
  const records = secrets.filter(({ type }) => type === "helm.sh/release.v1");
  return records.reduce<Secret | undefined>((a, b) => (a && revision(a) > revision(b) ? a : b), undefined);
}

interface Recorded {
  info?: { status?: string; last_deployed?: string };
  chart?: { metadata?: { name?: string; version?: string }; files?: { name?: string; data?: string }[] | null };
  config?: Values | null;
  /** The rendered manifest. */
  manifest?: string;
  version?: number;
}

export function decodeRelease(secret: Secret): StoredRelease {
  const { info, chart, config, version } = recorded(secret);
  return {
    record: secret.metadata.name,
    revision: version ?? 0,
    status: info?.status ?? "unknown",
    chart: chart?.metadata?.name ?? "",
    version: chart?.metadata?.version ?? "",
    values: config ?? {},
    since: info?.last_deployed ?? "",
  };
}

/** Base64 as in every secret, base64 of Helm's own, gzip, JSON. Very old records are not compressed. */
export function recorded(secret: Secret): Recorded {
  const { name } = secret.metadata;
  try {
    const packed = Buffer.from(Buffer.from(secret.data?.release ?? "", "base64").toString("latin1"), "base64");
    const json = packed.subarray(0, 3).equals(GZIP) ? gunzipSync(packed, { maxOutputLength: MOST_UNPACKED }) : packed;
    return firm(parseJson(json.toString("utf8")));
  } catch (cause) {
    throw remoteError("HELM_RECORD", {
      message: `Unable to read the Helm release in secret ${secret.metadata.namespace}/${name}`,
      detail: messageOf(cause),
      hint: `check it with Helm: helm history ${secret.metadata.labels?.name ?? ""} --namespace ${secret.metadata.namespace}`,
      cause,
    });
  }
}

/** A secret holds 1 MiB; what was packed into it is not a thousand times as large. */
const MOST_UNPACKED = 64 * 1024 * 1024;

/** Checks the types of lists and objects; otherwise the record is unreadable. */
function firm(content: unknown): Recorded {
  const isRecord = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const { chart, info, config, manifest } = (isRecord(content) ? content : { chart: 0 }) as Record<string, unknown>;
  const { files, metadata } = (chart ?? {}) as Record<string, unknown>;
  const odd =
    [chart, info, config, metadata].some((value) => value !== undefined && value !== null && !isRecord(value)) ||
    !(manifest === undefined || manifest === null || typeof manifest === "string") ||
    !(files === undefined || files === null || (Array.isArray(files) && files.every(isRecord)));
  if (odd) throw new Error("it is not a release record");
  return content as Recorded;
}
