import { afterEach, expect, test, vi } from "vitest";
import { inSession } from "./session.ts";

afterEach(() => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s stops a command in order, and it ends as interrupted", async (signal) => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const before = process.listenerCount(signal);
  let stopped = false;
  await inSession({ json: true }, async (session) => {
    process.emit(signal, signal);
    stopped = session.signal.aborted;
    session.signal.throwIfAborted();
    return 0;
  });
  expect([stopped, process.exitCode]).toEqual([true, 130]);
  expect(process.listenerCount(signal)).toBe(before);
});

test("a closed terminal that sends SIGHUP twice still lets begun changes finish", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  await inSession({ json: true }, async () => {
    for (let n = 0; n < 2; n++) process.emit("SIGHUP", "SIGHUP");
    expect(exit).not.toHaveBeenCalled();
    process.emit("SIGINT", "SIGINT");
    expect(exit).toHaveBeenCalledWith(130);
    return 0;
  });
});
