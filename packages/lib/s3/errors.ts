import { remoteError, type TalosmithError, userError } from "../errors.ts";
import { ownCommand } from "../own-command.ts";
import type { S3Target } from "./target.ts";
import { element } from "./xml.ts";

/** An error response of the server, unchanged. */
export interface S3Refusal {
  status: number;
  reason: string;
  body: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Error codes after which a retry may succeed. */
const PASSING = new Set([
  "SlowDown",
  "ServiceUnavailable",
  "InternalError",
  "RequestTimeout",
  "OperationAborted",
  "TooManyRequests",
]);

export function isPassing({ status, body }: Pick<S3Refusal, "status" | "body">): boolean {
  return status >= 500 || status === 429 || PASSING.has(element(body, "Code") ?? "");
}

/** The request itself is never quoted: its headers contain the login. */
export function refused(what: string, target: S3Target, refusal: S3Refusal): TalosmithError {
  const { status, reason, body, headers } = refusal;
  const code = element(body, "Code") ?? (status === 404 ? "NotFound" : "");
  const server = new URL(target.url).host;
  const said = [code || reason, element(body, "Message")].filter(Boolean).join(": ").slice(0, 300);
  const parts = { message: `Unable to ${what}`, detail: `${server} answered ${status} ${said}` };
  const region = headers["x-amz-bucket-region"] ?? element(body, "Region");
  const elsewhere = status === 301 || status === 307 || code === "AuthorizationHeaderMalformed" || code === "PermanentRedirect";
  if (elsewhere) {
    const hint =
      region === undefined
        ? `set the endpoint and the region of the bucket: --s3-endpoint, --s3-region`
        : `the bucket is in the region ${String(region)}: --s3-region ${String(region)}`;
    return userError("S3_REGION", { ...parts, hint });
  }
  const hint = HINTS[code];
  if (hint !== undefined) return userError(`S3_${hint.code}`, { ...parts, hint: hint.hint(target) });
  return remoteError("S3_REFUSED", {
    ...parts,
    hint: "the server's answer above gives the reason",
    transient: isPassing(refusal),
  });
}

const KEYS = "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
const RIGHTS = "the access key needs s3:PutObject, s3:GetObject and s3:ListBucket on that bucket and prefix";
const listed = ({ bucket }: S3Target) => `list the stored files:  ${ownCommand("restore", "--list", `s3://${bucket}/`)}`;
const HINTS: Record<string, { code: string; hint(target: S3Target): string }> = {
  NoSuchBucket: { code: "NO_BUCKET", hint: ({ bucket }) => `create the bucket ${bucket}, or correct its name` },
  NoSuchKey: { code: "NO_OBJECT", hint: listed },
  NotFound: { code: "NO_OBJECT", hint: listed },
  AccessDenied: { code: "DENIED", hint: () => RIGHTS },
  InvalidAccessKeyId: { code: "LOGIN", hint: () => KEYS },
  SignatureDoesNotMatch: { code: "LOGIN", hint: () => `the secret key does not belong to the access key: ${KEYS}` },
  ExpiredToken: { code: "LOGIN", hint: () => "the session has ended: log in again, and set AWS_SESSION_TOKEN again" },
  InvalidToken: { code: "LOGIN", hint: () => "AWS_SESSION_TOKEN is not valid: log in again, or unset it" },
  RequestTimeTooSkewed: {
    code: "CLOCK",
    hint: () => "the clock of this computer is wrong: correct it (timedatectl shows its state)",
  },
  EntityTooLarge: { code: "TOO_LARGE", hint: () => "remove large files from the folder" },
};

/** Node's error codes for a certificate that is not trusted. */
const NO_PROOF = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_SSL|ERR_TLS/;

export function isUntrusted(error: unknown): error is TalosmithError {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && NO_PROOF.test(String(cause.code));
}

export function untrusted({ url }: S3Target, error: TalosmithError): TalosmithError {
  return userError("S3_TLS", {
    message: `Unable to trust the S3 server ${new URL(url).host}`,
    detail: error.message,
    hint: "check the endpoint. A server with its own CA needs the certificate of that CA: --s3-ca FILE. Nothing was sent.",
    cause: error,
  });
}
