import { expect, test } from "vitest";
import {
  badKey,
  commandLost,
  forwardFailed,
  forwardProhibited,
  refused,
  sessionRefused,
  unreachable,
  untrusted,
} from "./errors.ts";

const pve = { host: "pve", port: 22, user: "root" };

test("a host is named with its port unless that is 22, and the command to try is complete", () => {
  const words = (port: number) => {
    const { message, hint } = unreachable({ ...pve, port }, "connection refused", undefined);
    return [message, hint?.split(":  ").at(-1)];
  };
  expect(words(22)).toEqual(["Unable to reach pve by SSH: connection refused", "ssh root@pve true"]);
  expect(words(2222)).toEqual(["Unable to reach pve:2222 by SSH: connection refused", "ssh -p 2222 root@pve true"]);
});

test("a login that is refused names everything that was tried, or that there was nothing to try", () => {
  expect(refused(pve, ["/root/.ssh/id_rsa was refused", "the agent is empty"]).detail).toBe(
    "/root/.ssh/id_rsa was refused\nthe agent is empty",
  );
  expect(refused(pve, []).detail).toBe("there is no SSH key to log in with");
});

test("an unknown host, another key and a revoked key are different errors, and only the first is solved by the config", () => {
  const unknown = untrusted({ ...pve, firstKey: false }, { is: "unknown", seen: "SHA256:a" }, ["SHA256:a"]);
  expect(unknown).toMatchObject({ kind: "user", code: "SSH_HOST_UNKNOWN", hint: expect.stringContaining("hostKey: first") });
  expect(untrusted(pve, { is: "unknown", seen: "SHA256:a" }, ["SHA256:a"]).hint).not.toContain("hostKey: first");
  const differing = { seen: "SHA256:b", expected: ["SHA256:a"], by: "the config pins" };
  const another = untrusted(pve, { is: "another", ...differing }, ["SHA256:b", "SHA256:c"]);
  expect(another).toMatchObject({ kind: "remote", code: "SSH_HOST_KEY", hint: expect.stringContaining("network.ssh.hostKey") });
  expect(another.detail).toBe("it shows SHA256:b, SHA256:c\nthe config pins SHA256:a\nNothing was sent.");
  const revoked = untrusted(pve, { is: "revoked", ...differing }, ["SHA256:b"]);
  expect(revoked).toMatchObject({
    message: expect.stringContaining("a revoked one"),
    hint: expect.stringContaining("do not use"),
  });
});

const CAUSE = new Error("the cause");

test.each([
  ["SSH_UNREACHABLE", unreachable(pve, "why", CAUSE), true],
  ["SSH_FORWARD", forwardFailed(pve, "10.0.0.1:50000", "EHOSTUNREACH", "why", CAUSE), true],
  ["SSH_SESSION_REFUSED", sessionRefused(pve, "why", CAUSE), true],
  ["SSH_COMMAND_LOST", commandLost(pve, "why", CAUSE), true],
  ["SSH_FORWARD_PROHIBITED", forwardProhibited(pve, "10.0.0.1:50000", "why", CAUSE), false],
])("%s is an error of the host, and says whether a retry may succeed", (code, error, transient) => {
  expect(error).toMatchObject({ kind: "remote", code, transient });
});

test("what the user can correct is not tried again", () => {
  expect(refused(pve, [], CAUSE)).toMatchObject({ kind: "user", code: "SSH_AUTH", transient: false, cause: CAUSE });
  expect(badKey("the key", "it is empty", "use another")).toMatchObject({
    kind: "user",
    code: "SSH_KEY",
    message: "Unable to use the key: it is empty",
    hint: "use another",
    transient: false,
  });
});

test("an error keeps its cause, and one without a cause has none", () => {
  for (const error of [unreachable(pve, "why", CAUSE), commandLost(pve, "why", CAUSE), sessionRefused(pve, "why", CAUSE)])
    expect(error.cause).toBe(CAUSE);
  expect(commandLost(pve, "why", undefined).cause).toBeUndefined();
});

test("a forward that failed looks like a direct dial that failed with the same code", () => {
  const { cause, message } = forwardFailed(pve, "10.0.0.1:50000", "ECONNREFUSED", "Connection refused", CAUSE);
  expect(message).toBe("Unable to reach 10.0.0.1:50000 through pve: Connection refused");
  expect(cause).toMatchObject({ code: "ECONNREFUSED", cause: CAUSE });
});

test("a hint names the section of the config that describes the login", () => {
  const own = { ...pve, section: "takeover.ssh" };
  expect(refused(pve, []).hint).toContain("in network.ssh.key,");
  expect(refused(own, []).hint).toContain("in takeover.ssh.key,");
  expect(untrusted(own, { is: "unknown", seen: "SHA256:a" }, []).hint).toContain('takeover.ssh.hostKey: "SHA256:a"');
});

test("another key than the known one may be an attack, and the message says that it is not the known one", () => {
  const { message, hint } = untrusted(pve, { is: "another", seen: "SHA256:b", expected: [], by: "" }, ["SHA256:b"]);
  expect(message).toBe("Unable to trust pve: its SSH host key is not the known one");
  expect(hint).toContain("another machine may be intercepting the connection");
});
