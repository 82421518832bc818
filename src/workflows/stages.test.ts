import { expect, test } from "vitest";
import { Shelf, testSession } from "../../test/support/toy.ts";
import { makePlan } from "../engine/plan.ts";
import { check, type Stage } from "../engine/step.ts";
import { fromStage, upTo } from "./stages.ts";

async function planned(values: Record<string, number>) {
  const shelf = new Shelf();
  for (const [name, value] of Object.entries(values)) shelf.values.set(name, value);
  const machine = shelf.step("machine", 1, { stage: "provision" });
  const other = shelf.step("other", 1, { stage: "provision" });
  const cluster = shelf.step("cluster", 1, { stage: "bootstrap", needs: [machine.out] });
  const items = [machine, other, cluster];
  return { items, plan: await makePlan(items, testSession()) };
}

const from = async (stage: Stage, values: Record<string, number>) => {
  const { plan } = await planned(values);
  const { plan: kept, unmet } = fromStage(plan, { from: stage, until: "verify" }, "talosmith up e");
  return { kept: kept.planned.map((one) => one.item.id), unmet };
};

test("stages after the last wanted one are left out", async () => {
  const { items } = await planned({});
  expect(upTo({ from: "preflight", until: "provision" }, items).map((item) => item.id)).toEqual(["shelf/machine", "shelf/other"]);
});

test("a step of a later stage that a wanted stage needs is kept", () => {
  const shelf = new Shelf();
  const id = shelf.step("id", 1, { stage: "generate" });
  const secrets = shelf.step("secrets", 1, { stage: "generate", needs: [id.out] });
  const image = shelf.step("image", 1, { stage: "image", needs: [secrets.out] });
  const configs = shelf.step("configs", 1, { stage: "generate", needs: [secrets.out] });
  const kept = upTo({ from: "preflight", until: "image" }, [image, id, secrets, configs]);
  expect(kept.map((item) => item.id)).toEqual(["shelf/image", "shelf/id", "shelf/secrets"]);
});

test("a stage starts when its requirements exist, and changes nothing else of earlier stages", async () => {
  expect(await from("bootstrap", { machine: 1 })).toEqual({ kept: ["shelf/machine", "shelf/cluster"], unmet: undefined });
});

test("a stage without its requirements names them and the command that creates them", async () => {
  const { unmet } = await from("bootstrap", {});
  expect(unmet).toMatchObject({ kind: "user", code: "STAGE_NEEDS", detail: "provision: to be created: machine" });
  expect(unmet?.hint).toContain("talosmith up e --until provision");
});

test("from the first stage on all items are kept", async () => {
  expect((await from("preflight", {})).kept).toHaveLength(3);
});

test("from a later stage on only the checks of its own changes are kept", async () => {
  const shelf = new Shelf();
  shelf.values.set("machine", 1);
  const of = (name: string) =>
    check({
      id: name,
      stage: "preflight",
      title: name,
      before: ({ subject }) => subject === name,
      run: async () => [],
    });
  const steps = [shelf.step("image", 1, { stage: "image" }), shelf.step("cluster", 1, { stage: "bootstrap" })];
  const plan = await makePlan([of("image"), of("cluster"), ...steps], testSession());
  expect(plan.planned).toHaveLength(4);
  const { plan: kept } = fromStage(plan, { from: "bootstrap", until: "verify" }, "talosmith up e");
  expect(kept.planned.map(({ item }) => item.id)).toEqual(["cluster", "shelf/cluster"]);
});

test("a stage that only comes after an earlier one does not start before that is done either", async () => {
  const shelf = new Shelf();
  const chart = shelf.step("chart", 1, { stage: "addons" });
  const look = check({ id: "look", stage: "verify", title: "look", needs: [], after: [chart.out], run: async () => [] });
  const plan = await makePlan([chart, look], testSession());
  const { unmet } = fromStage(plan, { from: "verify", until: "verify" }, "talosmith up e");
  expect(unmet).toMatchObject({ code: "STAGE_NEEDS", detail: "addons: to be created: chart" });
});
