import type { KubernetesObject } from "../objects.ts";
import { checkedObject, isRecord, odd, parsed } from "./answer.ts";
import type { KindRef } from "./kinds.ts";
import { refusal, refused } from "./refusal.ts";
import type { Servers } from "./servers.ts";

export interface ListRef extends KindRef {
  /** All namespaces when absent. */
  namespace?: string;
  /** "app=x,tier!=y" */
  labelSelector?: string;
  fieldSelector?: string;
}

export interface Listed<T> {
  items: T[];
  /** The version of the list, from which a watch continues. */
  resourceVersion: string;
}

const PAGE = 500;
/** A cluster of five thousand nodes has as many pods. */
const MOST = 500_000;

/** Reads all objects at `path`, page by page, in one consistent version. */
export async function listAll<T extends KubernetesObject>(
  servers: Servers,
  path: string,
  of: ListRef,
  signal: AbortSignal,
): Promise<Listed<T>> {
  const items: T[] = [];
  let next = "";
  for (;;) {
    const query = selectorsOf(of);
    query.set("limit", String(PAGE));
    if (next !== "") query.set("continue", next);
    const answer = await servers.send({ method: "GET", path: `${path}?${query}` }, signal);
    if (answer.status === 410 && next !== "") {
      // The continue token expired because the list was read too slowly: start again.
      items.length = 0;
      next = "";
      continue;
    }
    if (answer.status !== 200) throw refused(`list ${of.kind} objects`, answer.host, refusal(answer));
    const { items: listed, metadata } = parsed(answer, path);
    if (!Array.isArray(listed ?? [])) throw odd(answer, path, "is not a list");
    // Items of a list do not repeat their apiVersion and kind.
    for (const item of (listed ?? []) as unknown[])
      items.push({ ...checkedObject<T>(item, answer, path), apiVersion: of.apiVersion, kind: of.kind });
    const before = next;
    next = textIn(metadata, "continue");
    if (next === "") return { items, resourceVersion: textIn(metadata, "resourceVersion") };
    if (next === before || items.length > MOST) throw odd(answer, path, "is a list that does not end");
  }
}

function textIn(metadata: unknown, name: string): string {
  const value = isRecord(metadata) ? metadata[name] : undefined;
  return typeof value === "string" ? value : "";
}

export function selectorsOf({ labelSelector, fieldSelector }: ListRef): URLSearchParams {
  const query = new URLSearchParams();
  if (labelSelector !== undefined) query.set("labelSelector", labelSelector);
  if (fieldSelector !== undefined) query.set("fieldSelector", fieldSelector);
  return query;
}
