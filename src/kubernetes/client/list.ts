import type { KubernetesObject } from "../objects.ts";
import { parsed } from "./answer.ts";
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
  /** The moment it speaks of; a watch goes on from there. */
  resourceVersion: string;
}

const PAGE = 500;

/** Everything at `path`, page by page, as of one moment. */
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
      // The list was read so slowly that the server has forgotten its place: from the beginning, then.
      items.length = 0;
      next = "";
      continue;
    }
    if (answer.status !== 200) throw refused(`list ${of.kind} objects`, answer.host, refusal(answer));
    const page = parsed<{ items?: T[]; metadata?: { continue?: string; resourceVersion?: string } }>(answer, path);
    // Within a list nobody repeats what each item is.
    for (const item of page.items ?? []) items.push({ ...item, apiVersion: of.apiVersion, kind: of.kind });
    next = page.metadata?.continue ?? "";
    if (next === "") return { items, resourceVersion: page.metadata?.resourceVersion ?? "" };
  }
}

export function selectorsOf({ labelSelector, fieldSelector }: ListRef): URLSearchParams {
  const query = new URLSearchParams();
  if (labelSelector !== undefined) query.set("labelSelector", labelSelector);
  if (fieldSelector !== undefined) query.set("fieldSelector", fieldSelector);
  return query;
}
