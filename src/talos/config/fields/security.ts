import { type Kinds, replacedBy, since } from "./notation.ts";

/** Certificates and images that are trusted. */
export const SECURITY: Kinds = {
  ImageVerificationConfig: since("1.13", {
    rules: replacedBy("image", [
      {
        image: "text",
        "skip?": "bool",
        "deny?": "bool",
        "keyless?": { issuer: "text", subject: "text", subjectRegex: "text" },
        "publicKey?": { certificate: "text" },
      },
    ]),
  }),
  TrustedRootsConfig: { name: "text", certificates: "text" },
};
