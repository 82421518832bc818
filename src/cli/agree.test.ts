import { expect, test } from "vitest";
import type { PlannedChange } from "../engine/result.ts";
import { plan, plannedChange } from "../views/testing/script.ts";
import { agree, agreeByName, type Person } from "./agree.ts";

const never = new AbortController().signal;
const overwritten = (name: string): PlannedChange =>
  plannedChange("provision", "replace", `machine ${name}`, [], {
    typed: {
      name,
      why: `/dev/sda of ${name} holds data`,
      instead: `write installDisk: { serial: ${name}-disk }`,
      where: { file: "config.yaml", line: 7, column: 5 },
    },
  });
const both = plan([overwritten("vps-1"), overwritten("vps-2")]);
const blank = plan([plannedChange("provision", "create", "machine vps-3")]);

/** Gives these answers in order, and records the questions. */
function saying(...words: (string | undefined)[]): Person & { asked: string[] } {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return words.shift();
  };
  return { asked, canAsk: () => true, ask };
}
const noTerminal: Person = {
  canAsk: () => false,
  ask: () => Promise.reject(new Error("there is no terminal")),
};
const decide = (result: typeof both, flags: { yes?: boolean; json?: boolean }, person: Person) =>
  agree(result, flags, never, undefined, person);

test("--yes does not cover data on a disk: each name is typed", async () => {
  const person = saying("vps-1", " vps-2 ");
  expect(await decide(both, { yes: true }, person)).toBe(true);
  expect(person.asked).toEqual([
    "/dev/sda of vps-1 holds data. It will be lost. Type vps-1 to overwrite it: ",
    "/dev/sda of vps-2 holds data. It will be lost. Type vps-2 to overwrite it: ",
  ]);
});

test.each([
  ["another name", ["vps-1", "vps-1"]],
  ["yes", ["y"]],
  ["nothing", [""]],
  ["a cancelled question", [undefined]],
])("%s is not the name", async (_, words) => {
  expect(await decide(both, { yes: true }, saying(...words))).toBe(false);
});

test("without --yes the plan is confirmed first", async () => {
  expect(await decide(both, {}, saying("y", "vps-1", "vps-2"))).toBe(true);
  const person = saying("n");
  expect(await decide(both, {}, person)).toBe(false);
  expect(person.asked).toHaveLength(1);
});

test.each([
  ["no terminal", { yes: true }, noTerminal],
  ["a program", { yes: true, json: true }, saying("vps-1", "vps-2")],
])("%s cannot type a name: the error gives the line for the config", async (_, flags, person) => {
  await expect(decide(both, flags, person)).rejects.toMatchObject({
    code: "OVERWRITE_UNCONFIRMED",
    detail: "vps-1: /dev/sda of vps-1 holds data\nvps-2: /dev/sda of vps-2 holds data",
    hint: expect.stringMatching(/serial: vps-1-disk.*serial: vps-2-disk.*Nothing was changed/s),
    where: { line: 7 },
  });
});

test("a blank disk needs no confirmation", async () => {
  expect(await decide(blank, {}, noTerminal)).toBe(true);
  expect(await decide(blank, { yes: true }, noTerminal)).toBe(true);
});

const GIB = 1024 ** 3;
const going = plan([
  plannedChange("provision", "delete", "machine worker-1", [], {
    deletes: [
      { node: "worker-1", slot: "scsi0", volume: "local-lvm:vm-100-disk-0", bytes: 20 * GIB },
      { node: "worker-1", slot: "unused0", volume: "tank:vm-100-disk-3" },
    ],
  }),
]);
const VOLUMES =
  "  deletes worker-1/scsi0: local-lvm:vm-100-disk-0, 20 GiB\n  deletes worker-1/unused0: tank:vm-100-disk-3, size unknown";

test("without a terminal, the error lists the volumes that would be deleted", async () => {
  await expect(decide(going, {}, noTerminal)).rejects.toMatchObject({ detail: `delete machine worker-1\n${VOLUMES}` });
  await expect(agreeByName("lab", going, "Removing", {}, never, noTerminal)).rejects.toMatchObject({ detail: VOLUMES });
});

test("the question for the cluster's name gives the number of volumes to be deleted", async () => {
  const person = saying("lab");
  expect(await agreeByName("lab", going, "Removing these machines", {}, never, person)).toBe(true);
  expect(person.asked).toEqual(["Removing these machines cannot be undone. 2 volumes will be deleted. Type lab to continue: "]);
});
