import { messageOf } from "@talosmith/lib/errors.ts";
import { parse } from "yaml";
import type { Incoming } from "../../kernel/answer.ts";
import type { Loose, Manifest } from "../objects.ts";
import { decodeObject } from "../protobuf/decode.ts";
import { apiVersionOf, type Resource } from "../resources/resource.ts";
import { decode, Undecodable } from "../schema/decode.ts";
import { schemaOf } from "../schema/of.ts";
import { duplicateFields } from "./duplicates.ts";
import { ApiError, badRequest } from "./status.ts";
import type { Writing } from "./write.ts";

export function mediaType(incoming: Incoming): string {
  return (incoming.headers["content-type"] ?? "application/json").split(";")[0]?.trim() ?? "";
}

/** Parses a JSON or YAML body. */
export function readBody(incoming: Incoming): Loose {
  if (incoming.body.length === 0) return undefined;
  const type = mediaType(incoming);
  const decoded = type.includes("protobuf") ? decodeObject(incoming.body) : undefined;
  if (decoded) return decoded;
  if (type.includes("protobuf") || type.includes("cbor")) {
    throw new ApiError(
      415,
      "UnsupportedMediaType",
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml",
      {},
    );
  }
  const text = incoming.body.toString("utf8");
  if (text.trim() === "") return undefined;
  try {
    return type.includes("yaml") ? parse(text) : JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding request body: ${messageOf(error)}`);
  }
}

/** Reads an object of the kind of this path as the server's types do. */
export function readObject(incoming: Incoming, resource: Resource, how: Pick<Writing, "validation" | "warnings">): Manifest {
  const body = readConfig(incoming, resource);
  const cannot = (why: string) =>
    badRequest(`${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: ${why}`);
  try {
    const { value, strict } = decode(body, schemaOf(resource));
    const found = [...duplicateFields(incoming.body.toString("utf8"), mediaType(incoming)), ...strict];
    if (found.length > 0 && how.validation === "Strict") throw cannot(`strict decoding error: ${found.join(", ")}`);
    if (how.validation === "Warn") how.warnings.push(...found);
    return { ...value, metadata: value.metadata ?? {} };
  } catch (error) {
    if (error instanceof Undecodable) throw cannot(error.message);
    throw error;
  }
}

/** Reads the object as it was written: server-side apply has its own checks. */
export function readConfig(incoming: Incoming, resource: Resource): Manifest {
  const body = readBody(incoming);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw badRequest("the request body is empty");
  const wanted = apiVersionOf(resource);
  const { apiVersion = wanted, kind = resource.kind, metadata = {} } = body;
  if (kind !== resource.kind || apiVersion !== wanted) {
    const given = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw badRequest(
      `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${kind}: the object provided is of ${given}, Kind=${kind}`,
    );
  }
  return { ...body, apiVersion, kind, metadata: metadata ?? {} };
}
