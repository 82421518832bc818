import { remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { parseJson } from "@talosmith/lib/json.ts";
import type { KubernetesObject } from "../objects.ts";
import type { ServerAnswer } from "./servers.ts";

/* The server may be another program, or a broken one: responses are validated here, at the boundary. */

type Said = Pick<ServerAnswer, "body" | "host">;

export function parsed(answer: Said, path: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = parseJson(answer.body);
  } catch (cause) {
    throw odd(answer, path, "is not JSON", cause);
  }
  if (!isRecord(content)) throw odd(answer, path, "is not an object");
  return content;
}

/** Parses a response that is one object of the API. */
export function parsedObject<T extends KubernetesObject>(answer: Said, path: string): T {
  return checkedObject<T>(parsed(answer, path), answer, path);
}

/** Checks the parts that callers rely on: a name, and the right types of texts and lists. Other parts may be missing. */
export function checkedObject<T extends KubernetesObject>(content: unknown, answer: Said, path: string): T {
  const wrong = wrongWith(content);
  if (wrong !== undefined) throw odd(answer, path, wrong);
  return content as T;
}

const META_TEXTS = ["namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"];
const META_LISTS = ["managedFields", "ownerReferences"];
const META_RECORDS = ["labels", "annotations"];
/** Below spec and status; each is a list of records, of which some have a text that tells them apart. */
const LISTS = ["conditions", "addresses", "taints", "containerStatuses", "initContainerStatuses"];
const RECORDS = ["nodeInfo", "allocatable"];

function wrongWith(content: unknown): string | undefined {
  if (!isRecord(content) || !isRecord(content.metadata)) return "holds no object";
  const { metadata, spec, status } = content;
  if (typeof metadata.name !== "string" || metadata.name === "") return "holds an object without a name";
  const inMeta =
    META_TEXTS.find((key) => !fits(metadata[key], isText)) ??
    META_LISTS.find((key) => !fits(metadata[key], isRecords)) ??
    META_RECORDS.find((key) => !fits(metadata[key], (value) => isRecord(value) && Object.values(value).every(isText))) ??
    (fits(metadata.finalizers, (value) => Array.isArray(value) && value.every(isText)) ? undefined : "finalizers");
  if (inMeta !== undefined) return `has an invalid metadata.${inMeta}`;
  for (const [name, part] of [
    ["spec", spec],
    ["status", status],
  ] as const) {
    if (part === undefined || part === null || typeof part === "string") continue;
    if (!isRecord(part)) return `has an invalid ${name}`;
    const key = LISTS.find((one) => !fits(part[one], isRecords)) ?? RECORDS.find((one) => !fits(part[one], isRecord));
    if (key !== undefined) return `has an invalid ${name}.${key}`;
  }
  return undefined;
}

/** Go omits empty values or writes null. */
function fits(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || is(value);
}

const isText = (value: unknown) => typeof value === "string";
const isRecords = (value: unknown) => Array.isArray(value) && value.every((one) => isRecord(one) && fits(one.type, isText));

export function odd({ body, host }: Said, path: string, what: string, cause?: unknown): TalosmithError {
  return remoteError("KUBERNETES_ANSWER", {
    message: `Unexpected response from ${host}`,
    detail: `${path} ${what}: ${body.slice(0, 200)}`,
    hint: "check that a Kubernetes API server runs at that address",
    ...(cause !== undefined && { cause }),
  });
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
