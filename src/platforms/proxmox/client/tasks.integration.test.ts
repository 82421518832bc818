import { afterEach, expect, test } from "vitest";
import { testWorld } from "../../../../test/support/test-world.ts";
import { testSession } from "../../../../test/support/toy.ts";
import { readContext } from "../../../engine/context.ts";
import { taskDone } from "./tasks.ts";
import { type Answer, api } from "./testing/api.ts";

// Task ids, states and log lines: docs/facts/proxmox.md#tasks.

const UPID = "UPID:pve2:0001E240:3ADE68B1:6918D307:qmcreate:100:talosmith@pve!deploy:";
const world = testWorld({ timeScale: 100 });
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const stopped = (exitstatus: string): Answer => ({ data: { status: "stopped", exitstatus } });
const RUNNING: Answer = { data: { status: "running" } };
const UNKNOWN: Answer = {
  status: 400,
  reason: "Parameter verification failed.",
  body: '{"data":null,"errors":{"upid":"no such task"}}',
};

/** Waits for a task whose states come one after the other; the last stays. */
async function waited(states: readonly Answer[], log: readonly string[]) {
  let asked = 0;
  const server = await api(world, ({ path }) => {
    if (path.includes("/log")) return { data: log.map((t, index) => ({ n: index + 1, t })) };
    return states[Math.min(asked++, states.length - 1)] as Answer;
  });
  const client = server.client();
  open.push(client, server);
  const said: string[] = [];
  const c = { ...readContext({ ...testSession(), world }, "step", new Map(), new Map()), say: (text: string) => said.push(text) };
  const done = taskDone(client, c as never, UPID, "create machine cp-1", 60_000);
  return { calls: server.calls, said, done };
}

test("a task is read on its own host, with its id encoded", async () => {
  const { calls, done } = await waited([RUNNING, stopped("OK")], []);
  expect(await done).toEqual([]);
  expect(calls[0]?.path).toBe(`/nodes/pve2/tasks/${encodeURIComponent(UPID)}/status`);
});

test("a task that is not in the list yet is waited for", async () => {
  const { done } = await waited([UNKNOWN, UNKNOWN, RUNNING, stopped("OK")], []);
  expect(await done).toEqual([]);
});

test("warnings of a task are reported and returned", async () => {
  const { said, done } = await waited(
    [stopped("WARNINGS: 1")],
    ["trying", "WARN: no efidisk configured! Using temporary efivars disk.", "TASK WARNINGS: 1"],
  );
  expect(await done).toEqual(["no efidisk configured! Using temporary efivars disk."]);
  expect(said).toEqual(["Proxmox warns (create machine cp-1): no efidisk configured! Using temporary efivars disk."]);
});

test("an early task status cached by a worker is corrected by the log's last line", async () => {
  const { done } = await waited([stopped("unexpected status")], ["trying", "TASK OK"]);
  expect(await done).toEqual([]);
});

test("a task that failed shows its end and the last lines of its log", async () => {
  const { done } = await waited(
    [stopped("unable to create VM 100 - disk full")],
    ["one", "two", "TASK ERROR: unable to create VM 100 - disk full"],
  );
  await expect(done).rejects.toMatchObject({
    code: "PROXMOX_TASK",
    message: "Unable to create machine cp-1",
    detail:
      "the task on pve2 ended with: unable to create VM 100 - disk full\n  one\n  two\n  TASK ERROR: unable to create VM 100 - disk full",
    transient: false,
  });
});

test("a task that met a lock may be tried again", async () => {
  const { done } = await waited([stopped("can't lock file '/var/lock/pve-manager/pve-storage-local-lvm' - got timeout")], []);
  await expect(done).rejects.toMatchObject({ code: "PROXMOX_TASK", transient: true });
});
