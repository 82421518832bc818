import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { answerError, type Call, withoutDiff } from "./call-error.ts";
import { MEANINGS, meaningOf } from "./meanings.ts";

/* The rows of docs/facts/talos.md#error-codes, and other texts in the sources of Talos 1.12 to 1.14 (v1alpha1_server.go, machinehelper.go, access.go). */

const CONTROL_PLANE_ONLY = "is only available on control plane nodes";
type Row = [kind: Call["kind"], code: Code, text: string, is: string, transient?: true];
const ROWS: Row[] = [
  ["read", Code.Unavailable, 'connection error: desc = "transport: authentication handshake failed"', "TALOS_UNAVAILABLE", true],
  ["change", Code.DeadlineExceeded, "context deadline exceeded", "TALOS_UNAVAILABLE", true],
  ["read", Code.Canceled, "grpc: the client connection is closing", "TALOS_UNAVAILABLE", true],
  ["stream", Code.Unknown, "error reading from server: EOF", "TALOS_UNAVAILABLE", true],
  ["change", Code.Unknown, "dial tcp 10.10.0.11:50000: connect: connection refused", "TALOS_UNAVAILABLE", true],
  ["bootstrap", Code.FailedPrecondition, "bootstrap is not available yet", "TALOS_NOT_READY", true],
  ["bootstrap", Code.FailedPrecondition, "time is not in sync yet", "TALOS_NOT_READY", true],
  ["bootstrap", Code.FailedPrecondition, "bootstrap can only be performed on a control plane node", "TALOS_REFUSED"],
  ["bootstrap", Code.Unimplemented, `bootstrap ${CONTROL_PLANE_ONLY}`, "TALOS_REFUSED"],
  ["bootstrap", Code.InvalidArgument, "etcd is not configured, bootstrap is not possible", "TALOS_REFUSED"],
  ["bootstrap", Code.AlreadyExists, "etcd data directory is not empty", "TALOS_ALREADY_BOOTSTRAPPED"],
  ["change", Code.FailedPrecondition, "etcd service is not ready for recovery yet", "TALOS_NOT_READY", true],
  ["read", Code.Unimplemented, `member list ${CONTROL_PLANE_ONLY}`, "TALOS_REFUSED"],
  ["read", Code.Unimplemented, "API is not implemented in maintenance mode", "TALOS_REFUSED"],
  ["apply", Code.Unimplemented, "apply configuration --mode='no-reboot' is not supported in maintenance mode", "TALOS_REFUSED"],
  ["apply", Code.InvalidArgument, "configuration validation failed: 1 error occurred", "TALOS_CONFIG_INVALID"],
  ["apply", Code.Unknown, "failed to parse config: unknown keys found during decoding", "TALOS_CONFIG_INVALID"],
  [
    "apply",
    Code.InvalidArgument,
    "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?",
    "TALOS_CONFIG_INVALID",
  ],
  ["apply", Code.InvalidArgument, "this config change can't be applied in immediate mode\ndiff:\n-a", "TALOS_NEEDS_REBOOT"],
  ["apply", Code.FailedPrecondition, "another apply configuration is already in progress", "TALOS_NOT_READY", true],
  [
    "apply",
    Code.FailedPrecondition,
    "configuration was already applied and node is rebooting, cannot apply more configuration changes until next reboot",
    "TALOS_NOT_READY",
    true,
  ],
  ["apply", Code.Unimplemented, "the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead", "TALOS_REFUSED"],
  ["change", Code.FailedPrecondition, "method is not supported in container mode", "TALOS_REFUSED"],
  ["read", Code.PermissionDenied, "not authorized", "TALOS_DENIED"],
  ["read", Code.PermissionDenied, 'resource type "Diagnostics.runtime.talos.dev" is not supported', "TALOS_UNSUPPORTED"],
  ["read", Code.PermissionDenied, 'namespace "nowhere" is not supported', "TALOS_UNSUPPORTED"],
  ["change", Code.PermissionDenied, "write access is not allowed", "TALOS_DENIED"],
  ["file", Code.NotFound, "stat /nothing: no such file or directory", "TALOS_NOT_FOUND"],
  ["change", Code.ResourceExhausted, "meta write failed", "TALOS_REFUSED"],
  // Without a code of their own: a read is tried again, anything else only when the text says so.
  ["read", Code.Unknown, 'error querying NTP server "time.cloudflare.com"', "TALOS_UNAVAILABLE", true],
  ["file", Code.Unknown, "something broke", "TALOS_UNAVAILABLE", true],
  ["stream", Code.Unknown, 'log "nothing" was not registered', "TALOS_REFUSED"],
  ["change", Code.Unknown, "something broke", "TALOS_REFUSED"],
  ["work", Code.Unknown, "failed to leave cluster: etcdserver: no leader", "TALOS_NOT_READY", true],
  [
    "work",
    Code.Unknown,
    "failed to leave cluster: etcdserver: re-configuration failed due to not enough started members",
    "TALOS_REFUSED",
  ],
];

test.each(ROWS)("a %s answered with %i %s", (kind, code, text, is, transient) => {
  const error = answerError({ address: "10.10.0.11", doing: "do it", kind }, code, text);
  expect({ code: error.code, transient: error.transient }).toEqual({ code: is, transient: transient ?? false });
  expect(error.message).toBe("Unable to do it on 10.10.0.11");
  expect(error.detail).toBe(`${Code[code]}: ${text.split("\n")[0]}`);
  if (error.kind === "user") expect(error.hint).toBeDefined();
});

test("every meaning is met by one of these rows", () => {
  const met = new Set(ROWS.map(([kind, code, text]) => meaningOf(kind, code, text)));
  expect(MEANINGS.filter((meaning) => !met.has(meaning))).toEqual([]);
});

// generateDiff and CanApplyImmediate of Talos 1.13.9.
test.each([
  ["Dry run summary:\nApplied configuration without a reboot (skipped in dry-run).\nConfig diff:\n\n-  token: abc\n", 2],
  ["this config change can't be applied in immediate mode\ndiff:\n-  token: abc", 1],
  ["Applied configuration without a reboot", 1],
])("of %j no line of a diff is kept", (text, lines) => {
  expect(withoutDiff(text).split("\n")).toEqual(text.split("\n").slice(0, lines));
});
