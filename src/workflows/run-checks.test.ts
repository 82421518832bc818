import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { type Check, check, type Finding } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { runChecks } from "./run-checks.ts";

const env = {
  config: { platform: "metal", cluster: { name: "life", talos: "v1.13.9", kubernetes: "v1.36.3" }, nodes: [] },
  shown: "env",
} as unknown as Environment;

function looking(id: string, needs: string[], run: () => Promise<Finding[]>): Check {
  return check({ id, stage: "preflight", title: id, needs: needs.map((step) => ({ step })), run });
}

const fine = async (): Promise<Finding[]> => [];
const wrong = async (): Promise<Finding[]> => [{ level: "fail", code: "BAD", message: "bad" }];
const silent = () => Promise.reject(remoteError("UNREACHABLE", { message: "Unable to reach it", hint: "start it" }));

const codes = async (checks: Check[]) => {
  const { checks: all, problems } = await runChecks(testSession(), env, "doctor", checks);
  return { codes: all.map(({ id, findings }) => `${id} ${findings.map(({ code }) => code).join()}`), problems };
};

test("all checks run, whatever the others find", async () => {
  expect(await codes([looking("a", [], wrong), looking("b", ["a"], wrong), looking("c", [], fine)])).toEqual({
    codes: ["a BAD", "b BAD", "c FINE"],
    problems: 2,
  });
});

test("a failed check is reported once, and checks that need it are not run", async () => {
  expect(await codes([looking("c", ["b"], wrong), looking("a", [], silent), looking("b", ["a"], wrong)])).toEqual({
    codes: ["c NOT_LOOKED_AT", "a UNREACHABLE", "b NOT_LOOKED_AT"],
    problems: 1,
  });
});
