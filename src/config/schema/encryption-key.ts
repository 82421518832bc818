import * as z from "zod";
import { checked, choice, leaves, section, text } from "./value.ts";
import * as words from "./words.ts";

const keyed = checked(
  section("The encryption key of a partition.", {
    passphrase: text({
      about: `A passphrase; prefer a reference (\${env:NAME} or \${file:PATH}) to the passphrase itself.`,
      example: `\${env:DISK_PASSPHRASE}`,
      check: (value) => (value.length < 8 ? { says: "is shorter than 8 characters", hint: "choose a longer one" } : undefined),
    }).optional(),
    kms: text({
      about: "Address of a key management server.",
      example: "https://kms.home.arpa:4050",
      check: words.webAddress("the server's address, such as https://kms.home.arpa:4050", /^(https?|grpc):$/),
    }).optional(),
  }),
  ({ passphrase, kms }) =>
    (passphrase === undefined) === (kms === undefined)
      ? { says: "must have either passphrase or kms", hint: "keep exactly one of the two" }
      : undefined,
);

const WAYS = "nodeID, tpm, { passphrase: … } or { kms: ADDRESS }";
export const encryptionKey = (about: string) =>
  z
    .union([choice({ about, of: ["nodeID", "tpm"] }), keyed])
    .meta({ description: `${about} ${WAYS}.` })
    .register(leaves, { example: "nodeID", choices: ["nodeID", "tpm"], typeHint: `write ${WAYS}` })
    .optional();
