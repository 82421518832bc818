import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Finding } from "../engine/step.ts";
import { findingLines } from "./finding-lines.ts";
import { jsonView } from "./json-view.ts";
import { render } from "./line.ts";
import { reportView } from "./report-view.ts";
import { RUNBOOKS, runbookOf } from "./runbooks.ts";
import { event, pipe } from "./testing/script.ts";

const FOLDER = join(import.meta.dirname, "../../docs/runbooks");

test("every page of docs/runbooks is found by its code, and no code of the source leads to a page that is not there", () => {
  const pages = readdirSync(FOLDER).filter((name) => name !== "README.md");
  expect(pages.length).toBeGreaterThan(40);
  expect(pages).toEqual(RUNBOOKS.map((page) => `${page}.md`));
  const codes = sources().flatMap((text) => [...text.matchAll(/\b[A-Z][A-Z_]{3,}\b/g)].map(([code]) => code));
  const led = [...new Set(codes)].flatMap((code) => runbookOf(code) ?? []);
  expect(led).toContain("STORAGE_FULL");
  expect(led.filter((page) => !pages.includes(`${page}.md`))).toEqual([]);
  for (const code of ["NODE", "constructor", "README", ""]) expect(runbookOf(code), code).toBeUndefined();
});

/** Everything but the lab, which has codes of its own. */
function sources(): string[] {
  return ["src", "packages/lib"].flatMap((folder) => {
    const root = join(import.meta.dirname, "../..", folder);
    return readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(root, name), "utf8"));
  });
}

const finding = (level: Finding["level"]): Finding => ({ level, code: "CLOCK", message: "cp-1: its clock is 90 s behind ours" });

test("a finding names its page unless it is ok", () => {
  const shown = (one: Finding) => findingLines(one).map((row) => render(row, false));
  expect(shown(finding("fail")).at(-1)).toBe("      runbook: talosmith runbook CLOCK");
  expect(shown(finding("warn")).at(-1)).toBe("      runbook: talosmith runbook CLOCK");
  expect(shown(finding("ok"))).toHaveLength(1);
});

test("--json and the report name the page of a finding and of an error, wherever it is in an event", () => {
  const problems = [{ kind: "user" as const, code: "LOCKED", message: "locked" }];
  const error = { kind: "remote" as const, code: "TIMEOUT", message: "Unable to see it", problems };
  const events = [
    event({ type: "step.finding", step: "verify/clocks", finding: finding("fail") }),
    event({ type: "step.finding", step: "verify/clocks", finding: finding("ok") }),
    event({ type: "error", error }),
  ];
  const terminal = pipe();
  const json = jsonView(terminal);
  const report = reportView();
  for (const one of events) {
    json.event(one);
    report.event(one);
  }
  const [failed, well, thrown] = terminal
    .text()
    .trim()
    .split("\n")
    .map((row) => JSON.parse(row));
  expect(failed.finding.runbook).toBe("docs/runbooks/CLOCK.md");
  expect(well.finding).toEqual(finding("ok"));
  expect(thrown.error).toEqual({
    ...error,
    runbook: "docs/runbooks/TIMEOUT.md",
    problems: [{ ...problems[0], runbook: "docs/runbooks/LOCKED.md" }],
  });
  expect(report.markdown()).toContain("; runbook: `talosmith runbook CLOCK`");
  expect(report.markdown()).toContain("runbook: talosmith runbook TIMEOUT");
});
