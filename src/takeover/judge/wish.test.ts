import { expect, test } from "vitest";
import { aWish } from "../testing/a-server.ts";
import { refusal } from "./wish.ts";

const parts = { message: "Unable to do it", facts: ["one", "two"], hint: "do that" };

test("a refusal is a user error with its facts and the assurance that nothing was written", () => {
  expect(refusal("CODE", aWish(), parts)).toMatchObject({
    kind: "user",
    code: "CODE",
    message: "Unable to do it",
    detail: "one\ntwo\nNothing was written.",
    hint: "do that",
    where: undefined,
  });
});

test("a refusal points at the setting that could resolve it, if the config has it", () => {
  const path = ["nodes", "vps-1", "mac"];
  expect(refusal("CODE", aWish(), { ...parts, path }).where?.file).toBe("nodes.vps-1.mac");
  expect(refusal("CODE", aWish({ where: () => undefined }), { ...parts, path }).where).toBeUndefined();
});
