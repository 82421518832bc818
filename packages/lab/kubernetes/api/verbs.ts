import type { Incoming } from "../../kernel/answer.ts";
import { notAllowed } from "./status.ts";
import type { RequestTarget } from "./target.ts";

interface Request {
  incoming: Pick<Incoming, "method" | "query">;
  target: Extract<RequestTarget, { is: "object" }>;
}

/** The verb of a request in access rules. */
export function verbOf({ incoming, target }: Request): string {
  const one = target.name !== undefined;
  switch (incoming.method) {
    case "GET":
    case "HEAD":
      if (isWatch(incoming.query)) return "watch";
      return one ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
    case "PATCH":
      if (!one) throw notAllowed();
      return incoming.method === "PUT" ? "update" : "patch";
    case "DELETE":
      return one ? "delete" : "deletecollection";
    default:
      throw notAllowed();
  }
}

export function isWatch(query: URLSearchParams): boolean {
  return ["true", "1"].includes(query.get("watch") ?? "");
}
