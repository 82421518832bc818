import { describe, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { Config } from "../../config/config.ts";
import { changesOf, errorsOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import type { Environment } from "../../environment/environment.ts";
import { ageKeyFile } from "./age-key.ts";

const part = { kind: "age-key", name: "sops", secret: { namespace: "flux-system", name: "sops-age", key: "age.agekey" } };
const FILE = "/e/age.agekey";

function environment(parts: readonly unknown[] = [part]): Environment {
  const config = { addons: { all: [{ name: "flux", tier: "gitops", parts, path: [] }] } } as unknown as Config;
  return { folder: "/e", shown: "e", config, warnings: [], where: () => undefined };
}

function session() {
  const made = testSession();
  made.world.files.makeFolder("/e", 0o700);
  return made;
}

const textOf = (of: ReturnType<typeof session>) => Buffer.from(of.world.files.read(FILE) ?? []).toString("utf8");

describe("age.agekey", () => {
  test("is made when an addon wants it, private, once, and gives out its recipient", async () => {
    const one = session();
    const items = ageKeyFile(environment(), one.redactor);
    expect(changesOf(await makePlan(items, one))).toMatchObject([{ verb: "create", subject: "age.agekey", fields: [] }]);
    await runPlan(await makePlan(items, one), one);
    const first = textOf(one);
    expect(one.world.files.stat(FILE)?.mode).toBe(0o600);
    const again = await makePlan(items, one);
    expect(changesOf(again)).toEqual([]);
    expect(first).toContain(`# public key: ${again.planned[0]?.output}\n`);
    await runPlan(again, one);
    expect(textOf(one)).toBe(first);
  });

  test("is not made when no addon wants it", () => {
    expect(ageKeyFile(environment([]), session().redactor)).toEqual([]);
  });

  test("that is no age key is an error with its line, and is not written over", async () => {
    const one = session();
    one.world.files.create(FILE, Buffer.from("# mine\nnonsense\n"), 0o600);
    const made = await makePlan(ageKeyFile(environment(), one.redactor), one);
    expect(errorsOf(made)).toMatchObject([{ code: "AGE_KEY", where: { file: "e/age.agekey", line: 2 } }]);
    expect(textOf(one)).toBe("# mine\nnonsense\n");
  });

  test("is in no event, neither plain nor as the cluster's Secret holds it", async () => {
    const one = session();
    const items = ageKeyFile(environment(), one.redactor);
    await runPlan(await makePlan(items, one), one);
    await makePlan(items, one);
    const text = textOf(one);
    const secret = text.split("\n").find((line) => line.startsWith("AGE-SECRET-KEY-1")) ?? "";
    one.bus.emit({ type: "notice", level: "info", message: `${secret} ${Buffer.from(text).toString("base64")}` });
    const events = JSON.stringify(one.events);
    expect(secret).not.toBe("");
    expect(events).not.toContain(secret);
    expect(events).not.toContain(Buffer.from(text).toString("base64"));
  });
});
