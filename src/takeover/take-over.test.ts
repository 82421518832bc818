import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { Shell } from "./shell.ts";
import { leave } from "./take-over.ts";
import { localShell } from "./testing/local-shell.ts";

const failing = (code: string): Shell => ({
  ...localShell(),
  run: () => Promise.reject(remoteError(code, { message: "no answer" })),
});

test("a server that is gone before it has answered is restarting", async () => {
  await leave(failing("SSH_COMMAND_LOST"));
});

test("a server that the command did not reach is not restarted", async () => {
  await expect(leave(failing("SSH_UNREACHABLE"))).rejects.toMatchObject({ code: "SSH_UNREACHABLE" });
});
