import type { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Survey } from "../survey.ts";
import { refusal, type TakeoverWish } from "./wish.ts";

const OF_TALOS = ["amd64", "arm64"];

/** Checks that the processor and firmware can start the image. */
export function machineStartsImage(survey: Survey, wish: TakeoverWish): TalosmithError[] {
  return [...architecture(survey, wish), ...firmware(survey, wish)];
}

function architecture({ arch }: Survey, wish: TakeoverWish): TalosmithError[] {
  const wanted = wish.arch;
  if (OF_TALOS.includes(arch) && (wanted === undefined || wanted === arch)) return [];
  return [
    refusal("WRONG_ARCHITECTURE", wish, {
      message: `Unable to take over ${wish.name}: its processor is ${arch}, ${wanted === undefined ? "which Talos does not run on" : `the config says ${wanted}`}`,
      facts: OF_TALOS.includes(arch) ? [] : [`Talos runs on ${OF_TALOS.join(" and ")}`],
      hint: OF_TALOS.includes(arch)
        ? `set image.arch: ${arch}, or leave it out; or check that it is the right server`
        : "rent another kind of server",
      path: ["image", "arch"],
    }),
  ];
}

function firmware(survey: Survey, wish: TakeoverWish): TalosmithError[] {
  const refuse = (why: string, hint: string) => [
    refusal("FIRMWARE", wish, {
      message: `Unable to start Talos on ${wish.name}: ${why}`,
      facts: [`it was started by ${survey.firmware === "bios" ? "BIOS" : "UEFI"}${survey.secureBoot ? " with Secure Boot" : ""}`],
      hint,
      path: ["image", "secureboot"],
    }),
  ];
  const asUefi = "start its rescue system with UEFI: the provider's panel or support can switch it";
  if (survey.firmware === "bios" && wish.secureboot)
    return refuse("image.secureboot needs UEFI", `${asUefi}; or write image.secureboot: false`);
  if (survey.firmware === "bios" && survey.arch === "arm64") return refuse("on arm64 it needs UEFI", asUefi);
  if (survey.secureBoot && !wish.secureboot)
    return refuse(
      "its Secure Boot is on, and the image is not signed",
      "switch Secure Boot off in its firmware, or write image.secureboot: true and enrol the keys of Talos",
    );
  return [];
}
