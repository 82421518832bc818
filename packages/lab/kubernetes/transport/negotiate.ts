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
 * The first of the types a client takes that the lab writes. Clients that prefer protobuf take JSON, too, and get that; who takes nothing else is
 * told what there is.
 */
export function acceptedType({ headers }: Pick<Incoming, "headers">): string {
  const wanted = (headers.accept ?? "").split(",").map((entry) => entry.split(";")[0]?.trim() ?? "");
  if (wanted.every((type) => type === "")) return JSON_TYPE;
  const found = wanted.flatMap((type) => OFFERED[type] ?? [])[0];
  if (found !== undefined) return found;
  const types = `${JSON_TYPE}, ${YAML_TYPE}`;
  throw new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${types}`);
}

/** The same answer in the type that was asked for. */
export function inType(type: string, reply: Reply): Reply {
  if (type !== YAML_TYPE || reply.headers?.["content-type"] !== JSON_TYPE) return reply;
  const body = stringify(JSON.parse(String(reply.body)), { lineWidth: 0 });
  return { ...reply, headers: { ...reply.headers, "content-type": YAML_TYPE }, body };
}
