import type { KnownRefusal } from "../kernel/kernel.ts";

/** Errors by the codes of Hetzner Cloud's API, as its own client lists them. */
export const refusals = {
  json_error: { status: 400, message: "invalid JSON in request", when: "the body is not JSON" },
  unauthorized: { status: 401, message: "the token you have provided is invalid", when: "the token is wrong or was deleted" },
  forbidden: { status: 403, message: "insufficient permissions for this request", when: "the token lacks a permission" },
  token_readonly: { status: 403, message: "the token is only allowed to perform GET requests", when: "a token for reading" },
  resource_limit_exceeded: { status: 403, message: "server limit exceeded", when: "the account's limit is reached" },
  not_found: { status: 404, message: "server with ID '1' not found", when: "the resource is gone" },
  conflict: {
    status: 409,
    message: "the resource has changed during the request, please retry",
    when: "two changes at the same time",
  },
  uniqueness_error: { status: 409, message: "SSH key not unique", when: "a name or a key already exists" },
  resource_in_use: { status: 409, message: "firewall with ID '1' is still in use", when: "something still uses it" },
  invalid_input: { status: 422, message: "invalid input in field 'name'", when: "a field breaks a rule" },
  resource_unavailable: { status: 422, message: "error during placement", when: "the location has no room" },
  unsupported_error: { status: 422, message: "server does not support this", when: "the server type cannot" },
  locked: { status: 423, message: "server is locked", when: "another action of the server is running" },
  protected: { status: 423, message: "server deletion is protected", when: "the resource is protected" },
  rate_limit_exceeded: {
    status: 429,
    message: "limit of 3600 requests per hour reached",
    when: "too many calls of this project",
  },
  server_error: { status: 500, message: "an internal error occurred", when: "the API failed" },
  service_error: { status: 500, message: "a service error occurred", when: "a service behind the API failed" },
  bad_gateway: {
    status: 502,
    message: "the request could not be answered by the API backend, please retry",
    when: "the API restarts",
  },
  unavailable: { status: 503, message: "service unavailable", when: "the API is overloaded" },
  maintenance: { status: 503, message: "cannot perform operation due to maintenance", when: "announced maintenance" },
  timeout: {
    status: 504,
    message: "the request could not be answered in time, please retry",
    when: "a service behind the API is slow",
  },
} as const satisfies Record<string, KnownRefusal>;
