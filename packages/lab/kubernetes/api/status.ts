import type { Loose } from "../objects.ts";

export interface Cause {
  reason: string;
  message: string;
  field: string;
}

interface Details {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: Cause[];
  retryAfterSeconds?: number;
}

/** An API error: a Status object. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details?: Details,
  ) {
    super(message);
  }

  status(): Loose {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      ...(this.reason !== "" && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

/** A resource as messages name it: "deployments.apps". */
export interface ResourceName {
  group: string;
  resource: string;
}

function full({ group, resource }: ResourceName): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function about({ group, resource }: ResourceName, name: string): Details {
  return { name, ...(group !== "" && { group }), kind: resource };
}

export const notFound = (of: ResourceName, name: string) =>
  new ApiError(404, "NotFound", `${full(of)} ${JSON.stringify(name)} not found`, about(of, name));

export const noSuchResource = () => new ApiError(404, "NotFound", "the server could not find the requested resource", {});

export const alreadyExists = (of: ResourceName, name: string) =>
  new ApiError(409, "AlreadyExists", `${full(of)} ${JSON.stringify(name)} already exists`, about(of, name));

export const conflict = (
  of: ResourceName,
  name: string,
  why = "the object has been modified; please apply your changes to the latest version and try again",
) =>
  new ApiError(409, "Conflict", `Operation cannot be fulfilled on ${full(of)} ${JSON.stringify(name)}: ${why}`, about(of, name));

export const forbidden = (of: ResourceName, name: string, why: string) =>
  new ApiError(
    403,
    "Forbidden",
    name === "" ? `${full(of)} is forbidden: ${why}` : `${full(of)} ${JSON.stringify(name)} is forbidden: ${why}`,
    about(of, name),
  );

export const badRequest = (message: string) => new ApiError(400, "BadRequest", message);

export const unauthorized = () => new ApiError(401, "Unauthorized", "Unauthorized");

export const notAllowed = () =>
  new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

export const gone = (asked: number, oldest: number) =>
  new ApiError(410, "Expired", `too old resource version: ${asked} (${oldest})`);

/** A resource version from the future: another server may already have it. */
export const tooLarge = (asked: number, current: number) =>
  new ApiError(504, "Timeout", `Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version", field: "" }],
    retryAfterSeconds: 1,
  });

export function invalid(group: string, kind: string, name: string, causes: Cause[]): ApiError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const label = group === "" ? kind : `${kind}.${group}`;
  return new ApiError(422, "Invalid", `${label} ${JSON.stringify(name)} is invalid: ${list}`, {
    name,
    ...(group !== "" && { group }),
    kind,
    causes,
  });
}

export const required = (field: string, why = ""): Cause => ({
  reason: "FieldValueRequired",
  message: why === "" ? "Required value" : `Required value: ${why}`,
  field,
});

export const invalidValue = (field: string, value: unknown, why: string): Cause => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});
