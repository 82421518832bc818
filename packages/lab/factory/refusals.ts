import type { KnownRefusal } from "../kernel/kernel.ts";

/** Error responses of the image factory and of the servers in front of it. */
export const refusals = {
  "bad-schematic": {
    status: 400,
    message: "owner field is only supported in Enterprise edition",
    when: "the schematic uses a field of the Enterprise edition",
  },
  "payment-required": {
    status: 402,
    message: "enterprise not enabled: checksums and signatures are not available",
    when: "the file is available in the Enterprise edition only",
  },
  "unknown-schematic": { status: 404, message: "schematic not found", when: "the schematic was never uploaded" },
  "version-gone": { status: 404, message: "version 1.13.9 is not available", when: "the factory does not build this Talos" },
  unauthorized: {
    status: 401,
    message: "authentication required to access this schematic",
    when: "the schematic belongs to an account",
  },
  forbidden: { status: 403, message: "access denied", when: "the schematic belongs to another account" },
  "too-many-requests": { status: 429, message: "Too Many Requests", when: "too many builds from one address" },
  "internal-error": { status: 500, message: "internal server error", when: "a build failed" },
  "bad-gateway": { status: 502, message: "Bad Gateway", when: "the factory restarts behind its proxy" },
  "not-ready": { status: 503, message: "service temporarily unavailable", when: "the factory starts" },
  "gateway-timeout": { status: 504, message: "Gateway Timeout", when: "a first build takes longer than the proxy waits" },
} as const satisfies Record<string, KnownRefusal>;
