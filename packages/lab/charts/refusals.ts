import type { KnownRefusal } from "../kernel/kernel.ts";

/** What chart repositories and registries say: those of the CDNs and the registries that people use. */
export const refusals = {
  unauthorized: { status: 401, message: "UNAUTHORIZED: authentication required", when: "a registry wants a login" },
  forbidden: { status: 403, message: "DENIED: requested access to the resource is denied", when: "a package is not public" },
  "not-found": { status: 404, message: "Not Found", when: "the version was withdrawn" },
  "too-many-requests": {
    status: 429,
    message: "TOOMANYREQUESTS: You have reached your pull rate limit.",
    when: "too many downloads from one address",
  },
  "internal-error": { status: 500, message: "Internal Server Error", when: "the server failed" },
  "bad-gateway": { status: 502, message: "Bad Gateway", when: "a CDN does not reach its origin" },
  unavailable: { status: 503, message: "Service Unavailable", when: "the server is down for maintenance" },
  "gateway-timeout": { status: 504, message: "Gateway Timeout", when: "a CDN's origin is slow" },
} as const satisfies Record<string, KnownRefusal>;
