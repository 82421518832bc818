import { Code, ConnectError } from "@connectrpc/connect";
import { remoteError, TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { type CallKind, LIMIT_MS } from "./limits.ts";
import { meaningOf } from "./meanings.ts";
import { codesOf, reasonOf } from "./reason.ts";

/** A call and its node. */
export interface Call {
  address: string;
  /** The text after "Unable to": "read the version". */
  doing: string;
  kind: CallKind;
}

/** Node's error codes for a certificate that the cluster's CA did not sign. */
const NOT_OURS = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
]);
const WRONG_NAME = "ERR_TLS_CERT_ALTNAME_INVALID";
const ALERT = /^ERR_SSL_.*ALERT/;

/** Classifies a failed call: an error code, and whether a retry makes sense. */
export function callError(call: Call, error: unknown): TalosmithError {
  if (error instanceof TalosmithError) return error.code === "TLS_KEY" ? otherKey(call, error) : error;
  const codes = codesOf(error);
  if (codes.length > 0 || !(error instanceof ConnectError)) return connectionError(call, error, codes);
  return answerError(call, error.code, error.rawMessage, error);
}

/** Classifies an error that the node itself returned: a gRPC status, or the error inside a reply. */
export function answerError(call: Call, code: Code, text: string, cause?: unknown): TalosmithError {
  const { is, hint, transient, ofConfig } = meaningOf(call.kind, code, text);
  const parts = { message: unable(call), detail: `${Code[code] ?? code}: ${withoutDiff(text)}`, cause };
  if (ofConfig && hint !== undefined) return userError(is, { ...parts, hint });
  return remoteError(is, { ...parts, ...(hint !== undefined && { hint }), ...(transient && { transient }) });
}

function connectionError(call: Call, error: unknown, codes: readonly string[]): TalosmithError {
  const parts = { message: unable(call), detail: reasonOf(error), cause: error };
  if (codes.some((code) => NOT_OURS.has(code))) {
    return remoteError("TALOS_STRANGER", {
      ...parts,
      detail: "its certificate was not signed by this cluster's Talos CA. Nothing was sent.",
    });
  }
  if (codes.includes(WRONG_NAME)) {
    const hint = `if ${call.address} is not an address of the node itself, put it into machine.certSANs with a patch`;
    return remoteError("TALOS_WRONG_NAME", { ...parts, hint });
  }
  if (codes.some((code) => ALERT.test(code))) {
    const hint = "if it is a node of this cluster, its clock may be wrong";
    return remoteError("TALOS_DENIED", {
      ...parts,
      detail: `it rejects our client certificate: ${parts.detail}`,
      hint,
      transient: true,
    });
  }
  return remoteError("TALOS_UNAVAILABLE", { ...parts, transient: true });
}

/** A node in maintenance mode generates a new key when its addresses change, so a new probe may help. */
function otherKey(call: Call, error: TalosmithError): TalosmithError {
  const detail = error.detail;
  return remoteError("TALOS_OTHER_KEY", {
    message: unable(call),
    ...(detail !== undefined && { detail }),
    cause: error,
    transient: true,
  });
}

export function tooLate(call: Call): TalosmithError {
  const detail = `DeadlineExceeded: no answer within ${LIMIT_MS[call.kind] / 1000} s`;
  return remoteError("TALOS_UNAVAILABLE", { message: unable(call), detail, transient: true });
}

/** The error for a response without a required part. */
export function emptyAnswer(call: Call, missing: string): TalosmithError {
  return remoteError("TALOS_ANSWER", { message: unable(call), detail: `the answer has no ${missing}`, transient: true });
}

/** The cause's own message may quote the answer, and some hold secrets. */
export function unreadable(call: Call, cause: unknown): TalosmithError {
  return remoteError("TALOS_ANSWER", { message: unable(call), detail: "the answer cannot be read", cause });
}

function unable({ doing, address }: Call): string {
  return `Unable to ${doing} on ${address}`;
}

/** When a change needs a reboot, and after a dry run, the node shows a diff of both configs, and configs hold secrets. */
export function withoutDiff(text: string): string {
  return text.replace(/\n?(Config )?diff:[\s\S]*$/, "").trimEnd();
}
