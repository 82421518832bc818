import { gunzipSync } from "node:zlib";
import { messageOf, remoteError } from "@talosmith/lib/errors.ts";
import { parseJson } from "@talosmith/lib/json.ts";
import type { ListRef } from "../client/kubernetes-client.ts";
import type { Secret } from "../objects.ts";
import type { Values } from "./release.ts";

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/** What Helm recorded of one revision of a release. */
export interface StoredRelease {
  /** Name of the secret it is in. */
  record: string;
  revision: number;
  /** deployed, failed, superseded, pending-install, pending-upgrade, pending-rollback, uninstalling, uninstalled */
  status: string;
  chart: string;
  version: string;
  /** What was given, not what the chart made of it. */
  values: Values;
  /** When Helm last touched it: RFC 3339. */
  since: string;
}

/** The secrets of a release. Replaced revisions are large and many, and seldom of interest. */
export function recordsOf(release: { name: string; namespace: string }, which: "current" | "all"): ListRef {
  return {
    apiVersion: "v1",
    kind: "Secret",
    namespace: release.namespace,
    labelSelector: `owner=helm,name=${release.name}${which === "current" ? ",status!=superseded" : ""}`,
  };
}

/** While the last revision is in one of these, Helm believes that somebody is at it and refuses to go on. */
const BLOCKING = new Set(["pending-install", "pending-upgrade", "pending-rollback", "uninstalling"]);

export function isBlocking(status: string): boolean {
  return BLOCKING.has(status);
}

/** The records without which Helm goes on from the last revision that is whole, or anew when there is none. */
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
  /** What the chart came to. */
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

/** Lists and records where they belong, or a record that nobody can read. */
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
