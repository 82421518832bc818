import { expect, test } from "vitest";
import { readingLine } from "./reading-line.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { Screen } from "./testing/screen.ts";
import { event, upStarted } from "./testing/script.ts";

function silentCommand(width = 80) {
  const clock = new ManualClock();
  const screen = new Screen(width, 24);
  return { clock, screen, line: readingLine(screen, clock) };
}

test("after a second of silence it names the servers that are read, and goes with the first output", async () => {
  const { clock, screen, line } = silentCommand();
  line.connection("pve1:8006");
  const gone = line.connection("10.10.0.11:50000");
  line.connection("10.10.0.12:50000");
  await clock.advance(900);
  expect(screen.text()).toBe("");
  await clock.advance(1_100);
  expect(screen.text()).toBe("reading from pve1:8006, 10.10.0.11:50000 and 1 more: 2.0 s");
  gone();
  await clock.advance(250);
  expect(screen.text()).toBe("reading from pve1:8006, 10.10.0.12:50000: 2.3 s");
  line.event(upStarted);
  expect(screen.text()).toBe("");
  await clock.advance(1_500);
  expect(screen.text()).toContain("reading from pve1:8006");
  line.event(event({ type: "error", error: { kind: "remote", code: "X", message: "Unable to reach pve1" } }));
  await clock.advance(5_000);
  expect([screen.text(), clock.sleeping]).toEqual(["", 0]);
});

test("without a connection nothing is shown, and a narrow terminal cuts the line", async () => {
  const { clock, screen, line } = silentCommand(20);
  await clock.advance(3_000);
  expect(screen.raw).toBe("");
  line.connection("pve1.example.lan:8006");
  await clock.advance(1_000);
  expect(screen.lines()).toHaveLength(1);
  line.close();
  expect(screen.text()).toBe("");
});
