import { expect, test } from "vitest";
import type { Survey } from "../survey.ts";
import { aServer, aWish } from "../testing/a-server.ts";
import { machineStartsImage } from "./machine.ts";
import type { TakeoverWish } from "./wish.ts";

/** The problems, as code, the facts and the setting that could resolve it. */
const problems = (own: Partial<Survey>, wish: Partial<TakeoverWish> = {}) =>
  machineStartsImage(aServer(own), aWish(wish)).map(({ code, message, detail, hint, where }) => ({
    code,
    why: message.split(": ")[1],
    facts: detail?.split("\n").slice(0, -1),
    hint,
    where: where?.file,
  }));

test.each(["amd64", "arm64"])("a processor of %s starts the image, unless the config asks for the other one", (arch) => {
  const other = arch === "amd64" ? "arm64" : "amd64";
  expect(problems({ arch })).toEqual([]);
  expect(problems({ arch }, { arch })).toEqual([]);
  expect(problems({ arch }, { arch: other })).toEqual([
    {
      code: "WRONG_ARCHITECTURE",
      why: `its processor is ${arch}, the config says ${other}`,
      facts: [],
      hint: `set image.arch: ${arch}, or leave it out; or check that it is the right server`,
      where: "image.arch",
    },
  ]);
});

test.each([{}, { arch: "riscv64" }, { arch: "amd64" }])(
  "a processor that Talos does not run on is refused, with config %j",
  (wish) => {
    expect(problems({ arch: "riscv64" }, wish)).toMatchObject([
      { code: "WRONG_ARCHITECTURE", facts: ["Talos runs on amd64 and arm64"], hint: "rent another kind of server" },
    ]);
  },
);

test("a processor that Talos does not run on is not explained with the config when that says nothing", () => {
  expect(problems({ arch: "riscv64" })[0]?.why).toBe("its processor is riscv64, which Talos does not run on");
});

const NEEDS_UEFI = "image.secureboot needs UEFI";
const ARM_NEEDS_UEFI = "on arm64 it needs UEFI";
const IS_ON = "its Secure Boot is on, and the image is not signed";

test.each<[Partial<Survey>, boolean, string[]]>([
  [{ firmware: "uefi" }, false, []],
  [{ firmware: "uefi" }, true, []],
  [{ firmware: "uefi", arch: "arm64" }, false, []],
  [{ firmware: "uefi", secureBoot: true }, true, []],
  [{ firmware: "uefi", secureBoot: true }, false, [IS_ON]],
  [{ firmware: "bios" }, false, []],
  [{ firmware: "bios" }, true, [NEEDS_UEFI]],
  [{ firmware: "bios", arch: "arm64" }, false, [ARM_NEEDS_UEFI]],
  [{ firmware: "bios", arch: "arm64" }, true, [NEEDS_UEFI]],
])("firmware %j with image.secureboot %s: %j", (own, secureboot, expected) => {
  expect(problems(own, { secureboot }).map(({ why }) => why)).toEqual(expected);
});

test("firmware is refused with what started the server, at image.secureboot", () => {
  const facts = (own: Partial<Survey>, secureboot: boolean) => problems(own, { secureboot });
  expect(facts({ firmware: "bios" }, true)).toMatchObject([
    { code: "FIRMWARE", facts: ["it was started by BIOS"], where: "image.secureboot" },
  ]);
  expect(facts({ secureBoot: true }, false)).toMatchObject([
    { code: "FIRMWARE", facts: ["it was started by UEFI with Secure Boot"], where: "image.secureboot" },
  ]);
});
