import type { Json } from "@talosmith/lib/json.ts";
import type * as z from "zod";
import type { Incoming, Reply } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import { selects } from "./labels.ts";
import { invalid, json, Refused } from "./refused.ts";
import { HETZNER, type HetznerState, type Labels } from "./state.ts";

const HOURLY = 3600;
const DEFAULT_PAGE = 25;
const LARGEST_PAGE = 50;

export function hetzner(lab: Lab): HetznerState {
  return lab.state<HetznerState>(HETZNER);
}

export function checkToken({ token }: HetznerState, { headers }: Incoming): void {
  if (headers.authorization !== `Bearer ${token}`) throw new Refused("unauthorized", "unable to authenticate");
}

/** Counts a call against the limit of 3600 per hour, of which one returns every second; gives the rate limit headers. */
export function spend(lab: Lab): Record<string, string> {
  const { allowance } = hetzner(lab);
  allowance.left = Math.min(HOURLY, allowance.left + ((lab.now() - allowance.at) / 3_600_000) * HOURLY) - 1;
  allowance.at = lab.now();
  const left = allowance.left;
  allowance.left = Math.max(0, left);
  const headers = {
    "ratelimit-limit": String(HOURLY),
    "ratelimit-remaining": String(Math.max(0, Math.floor(left))),
    "ratelimit-reset": String(Math.ceil(lab.now() / 1000 + HOURLY - allowance.left)),
  };
  if (left < 0) throw new Refused("rate_limit_exceeded", "limit of 3600 requests per hour reached");
  return headers;
}

/** Parses the body and checks its shape. */
export function bodyOf<T>({ body }: Incoming, shape: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
  } catch {
    throw new Refused("json_error", "invalid JSON in request body");
  }
  const checked = shape.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw invalid(issue?.path.join(".") || "body", issue?.message ?? "invalid");
}

interface Listed {
  name: string;
  labels: Labels;
}

/** A list reply, filtered by name and labels. */
export function listReply<T extends Listed>(
  root: string,
  items: readonly T[],
  incoming: Incoming,
  view: (item: T) => Json,
): Reply {
  const name = incoming.query.get("name");
  const selector = incoming.query.get("label_selector");
  const asked = items.filter(
    (item) => (name === null || item.name === name) && (selector === null || selects(selector, item.labels)),
  );
  return pageReply(root, asked, incoming, view);
}

export function pageReply<T>(root: string, asked: readonly T[], { query }: Incoming, view: (item: T) => Json): Reply {
  const page = countIn(query, "page", 1, Number.MAX_SAFE_INTEGER);
  const perPage = countIn(query, "per_page", DEFAULT_PAGE, LARGEST_PAGE);
  const last = Math.max(1, Math.ceil(asked.length / perPage));
  const pagination = {
    page,
    per_page: perPage,
    previous_page: page > 1 ? page - 1 : null,
    next_page: page < last ? page + 1 : null,
    last_page: last,
    total_entries: asked.length,
  };
  return json(200, { [root]: asked.slice((page - 1) * perPage, page * perPage).map(view), meta: { pagination } });
}

function countIn(query: URLSearchParams, name: string, usual: number, most: number): number {
  const asked = query.get(name);
  if (asked === null) return usual;
  if (!/^[1-9]\d{0,8}$/.test(asked)) throw invalid(name, "must be a positive number");
  return Math.min(Number(asked), most);
}

export function moment(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "+00:00");
}

/** The item with this id, or undefined. */
export function byId<T extends { id: number }>(items: readonly T[], id: string | number): T | undefined {
  return items.find((item) => String(item.id) === String(id));
}
