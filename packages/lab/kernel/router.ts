import { internalError } from "@talosmith/lib/errors.ts";

/** The parameters of a pattern as a type: `Params<"/nodes/:node/content/*volume">` is `{ node: string; volume: string }`. */
export type Params<P extends string> = P extends `${infer Head}/${infer Rest}`
  ? Params<Head> & Params<Rest>
  : P extends `:${infer Name}` | `*${infer Name}`
    ? { [name in Name]: string }
    : unknown;

/** `:name` matches one segment; `*name`, as the last one, all remaining segments, at least one, slashes included. */
export interface Route<H> {
  method: string;
  pattern: string;
  handler: H;
}

export type Routed<H> =
  /** `site` is "METHOD pattern"; params are percent-decoded. */
  | { kind: "found"; site: string; pattern: string; params: Record<string, string>; handler: H }
  /** The path exists, under other methods. */
  | { kind: "other-method"; pattern: string; methods: string[] }
  | { kind: "none" };

export type Router<H> = (method: string, path: string) => Routed<H>;

interface Compiled<H> extends Route<H> {
  segments: string[];
}

/** In any order of the table, literal segments win over `:name`, and `:name` over `*name`. */
export function createRouter<H>(routes: readonly Route<H>[]): Router<H> {
  const compiled = routes.map((route) => ({ ...route, segments: split(route.pattern) }));
  compiled.sort((a, b) => rank(a).localeCompare(rank(b)));
  refuseDoubles(compiled);
  return (method, path) => {
    const segments = decode(split(path));
    if (segments === undefined) return { kind: "none" };
    const methods: string[] = [];
    let pattern = "";
    for (const route of compiled) {
      const params = match(route.segments, segments);
      if (params === undefined) continue;
      if (route.method === method) {
        return { kind: "found", site: `${method} ${route.pattern}`, pattern: route.pattern, params, handler: route.handler };
      }
      if (methods.length === 0) pattern = route.pattern;
      methods.push(route.method);
    }
    return methods.length > 0 ? { kind: "other-method", pattern, methods } : { kind: "none" };
  };
}

function split(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** Decodes segments; undefined when the percent encoding is invalid. */
function decode(segments: string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function match(pattern: readonly string[], path: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = path[index];
    if (segment === undefined) return undefined;
    if (part.startsWith("*")) {
      params[part.slice(1)] = path.slice(index).join("/");
      return params;
    }
    if (part.startsWith(":")) params[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return pattern.length === path.length ? params : undefined;
}

function rank<H>(route: Compiled<H>): string {
  return route.segments.map((part) => (part.startsWith("*") ? "2" : part.startsWith(":") ? "1" : "0")).join("");
}

function refuseDoubles<H>(routes: readonly Compiled<H>[]): void {
  const seen = new Set<string>();
  for (const route of routes) {
    const rest = route.segments.findIndex((part) => part.startsWith("*"));
    if (rest !== -1 && rest !== route.segments.length - 1) {
      throw internalError("LAB_ROUTES", { message: `Unable to route ${route.pattern}: a rest parameter must come last` });
    }
    const key = `${route.method} ${route.segments.map((part) => (/^[:*]/.test(part) ? part[0] : part)).join("/")}`;
    if (seen.has(key)) throw internalError("LAB_ROUTES", { message: `Unable to route ${route.method} ${route.pattern} twice` });
    seen.add(key);
  }
}
