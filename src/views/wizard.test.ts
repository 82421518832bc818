import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { LEFT, wizard } from "./wizard.ts";

const ENTER = "\r";
const CTRL_C = "\u0003";
const DOWN = "\u001b[B";

/** A terminal whose keys are pressed by the test once the question is on the screen. */
function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  let screen = "";
  const write = (chunk: Buffer, _: string, done: () => void) => {
    screen += chunk.toString();
    done();
  };
  const output = Object.assign(new Writable({ write }), { isTTY: true, columns: 100, rows: 30 });
  const questions = wizard("A new environment", new AbortController().signal, { input, output: output as never });
  return { questions, screen: () => screen, press: (...keys: string[]) => keys.forEach((key) => void input.write(key)) };
}

test("Enter accepts the default", async () => {
  const { questions, press } = terminal();
  const answer = questions.text({ message: "Name", initial: "homelab" });
  press(ENTER);
  expect(await answer).toBe("homelab");
});

test("an invalid answer shows the reason, and the question is asked again", async () => {
  const { questions, press, screen } = terminal();
  const answer = questions.text({ message: "Name", check: (text) => (text === "ab" ? undefined : "two letters") });
  press("a", ENTER);
  await expect.poll(screen).toContain("two letters");
  press("b", ENTER);
  expect(await answer).toBe("ab");
});

test("a secret is not shown, and may be left out", async () => {
  const { questions, press, screen } = terminal();
  const typed = questions.secret({ message: "Token" });
  press("h", "u", "n", "t", "e", "r", "2", ENTER);
  expect(await typed).toBe("hunter2");
  expect(screen()).not.toContain("hunter2");
  const nothing = questions.secret({ message: "Token" });
  press(ENTER);
  expect(await nothing).toBe("");
});

test("a choice is made with the arrow keys", async () => {
  const { questions, press } = terminal();
  const of = ["flannel", "cilium", "none"].map((value) => ({ value, label: value }));
  const answer = questions.choose({ message: "Pod network", of });
  press(DOWN, ENTER);
  expect(await answer).toBe("cilium");
});

test("several are chosen, by default all", async () => {
  const { questions, press } = terminal();
  const of = ["pve1", "pve2"].map((value) => ({ value, label: value }));
  const answer = questions.chooseMany({ message: "Hosts", of, initial: ["pve1", "pve2"] });
  press(" ", ENTER);
  expect(await answer).toEqual(["pve2"]);
});

test("Ctrl-C cancels, and reports that nothing was written", async () => {
  const { questions, press } = terminal();
  const answer = questions.confirm({ message: "Pin it?", initial: true });
  press(CTRL_C);
  await expect(answer).rejects.toMatchObject({ code: LEFT, message: "Cancelled: nothing was written" });
});

test("notices are printed between the questions", () => {
  const { questions, screen } = terminal();
  questions.say("warn", "it cannot be reached now");
  expect(screen()).toContain("it cannot be reached now");
});
