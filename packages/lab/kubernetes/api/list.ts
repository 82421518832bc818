import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import type { Resource } from "../resources/resource.ts";
import { fieldSelector, labelSelector, type Matches } from "../store/selectors.ts";
import { allAt, objectKey } from "../store/store.ts";
import { checkListOptions } from "./list-options.ts";
import { ApiError, badRequest, tooLarge } from "./status.ts";

export interface Selection {
  namespace?: string;
  /** Set for a watch on one name. */
  name?: string;
  query: URLSearchParams;
}

/** The filter of a list or a watch. */
export function selection(resource: Resource, { namespace, name, query }: Selection): Matches {
  const labels = labelSelector(query.get("labelSelector") ?? "");
  const fields = fieldSelector(resource, query.get("fieldSelector") ?? "");
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    labels(object.metadata.labels ?? {}) &&
    fields(object);
}

export interface Page {
  items: KubeObject[];
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

/** One page of a list; a continue token names the last object of the previous page and the revision of the list. */
export function listPage(cluster: SimulatedCluster, resource: Resource, wanted: Selection): Page {
  const { query } = wanted;
  checkListOptions(query, false);
  const { revision, after } = startOf(query, cluster);
  const chosen = allAt(cluster, resource, revision, wanted.namespace).filter(selection(resource, wanted));
  const rest = after === undefined ? chosen : chosen.filter((object) => keyOf(object) > after);
  const limit = Number(query.get("limit") ?? 0);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const last = items.at(-1);
  const left = rest.length - items.length;
  return {
    items,
    metadata: {
      resourceVersion: String(revision),
      ...(left > 0 &&
        last && {
          continue: writeContinue(revision, keyOf(last)),
          ...(!isFiltered(query) && { remainingItemCount: left }),
        }),
    },
  };
}

function isFiltered(query: URLSearchParams): boolean {
  return Boolean(query.get("labelSelector") || query.get("fieldSelector"));
}

function keyOf({ metadata }: KubeObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

function writeContinue(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: after })).toString("base64url");
}

const CONTINUE_TOO_OLD =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** The revision of a list: that of its first page, the requested one, or the current one. */
function startOf(query: URLSearchParams, { state }: SimulatedCluster): { revision: number; after?: string } {
  const token = query.get("continue");
  if (token) {
    const { revision, after } = readContinue(token);
    if (revision === INCONSISTENT) return { revision: state.revision, after };
    if (revision < state.compacted) throw new ContinueExpired(writeContinue(INCONSISTENT, after));
    return { revision, after };
  }
  const asked = askedVersion(query.get("resourceVersion"));
  if (asked > state.revision) throw tooLarge(asked, state.revision);
  const exact = query.get("resourceVersionMatch") === "Exact" || (query.get("limit") !== null && asked > 0);
  if (!exact) return { revision: state.revision };
  if (asked < state.compacted) throw new ApiError(410, "Expired", "The resourceVersion for the provided list is too old.");
  return { revision: asked };
}

const INCONSISTENT = -1;

/** Contains a token to continue with an inconsistent list. */
class ContinueExpired extends ApiError {
  readonly #token: string;

  constructor(token: string) {
    super(410, "Expired", CONTINUE_TOO_OLD);
    this.#token = token;
  }

  override status(): Loose {
    return { ...super.status(), metadata: { continue: this.#token } };
  }
}

export function askedVersion(text: string | null): number {
  if (!text) return 0;
  if (/^\d+$/.test(text)) return Number(text);
  throw badRequest(`Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function readContinue(token: string): { revision: number; after: string } {
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as { rv: number; start: string };
    return { revision: rv, after: start };
  } catch {
    throw badRequest("continue key is not valid");
  }
}
