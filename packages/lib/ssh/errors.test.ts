import { expect, test } from "vitest";
import { refused, unreachable, untrusted } from "./errors.ts";

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
