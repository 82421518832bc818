import { stringify } from "yaml";
import type { Incoming, Reply } from "../../kernel/answer.ts";
import { ApiError } from "../api/status.ts";

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
const OFFERED: Record<string, string> = {
  [JSON_TYPE]: JSON_TYPE,
  [YAML_TYPE]: YAML_TYPE,
  "application/*": JSON_TYPE,
  "*/*": JSON_TYPE,
};

/**
 * The first media type the client accepts that the lab supports. Clients that prefer protobuf also accept JSON, and get it; one that accepts
 * nothing else gets an error with the supported types.
 */
export function acceptedType({ headers }: Pick<Incoming, "headers">): string {
  const wanted = (headers.accept ?? "").split(",").map((entry) => entry.split(";")[0]?.trim() ?? "");
  if (wanted.every((type) => type === "")) return JSON_TYPE;
  const found = wanted.flatMap((type) => OFFERED[type] ?? [])[0];
  if (found !== undefined) return found;
  const types = `${JSON_TYPE}, ${YAML_TYPE}`;
  throw new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${types}`);
}

/** Converts the reply to the requested type. */
export function inType(type: string, reply: Reply): Reply {
  if (type !== YAML_TYPE || reply.headers?.["content-type"] !== JSON_TYPE) return reply;
  const body = stringify(JSON.parse(String(reply.body)), { lineWidth: 0 });
  return { ...reply, headers: { ...reply.headers, "content-type": YAML_TYPE }, body };
}
