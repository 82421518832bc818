import { InvalidArgumentError } from "commander";
import { nearest } from "../config/nearest.ts";
import { PLANNED_PLATFORMS, PLATFORMS } from "../platforms/all.ts";
import type { PlatformDefinition } from "../platforms/definition.ts";

/** Returns the names of all platforms for a sentence: "a, b or c". */
export function platformNames(): string {
  const names = PLATFORMS.map(({ name }) => name);
  return names.length === 1 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** Returns the platform that an argument of the command line names. */
export function platformCalled(text: string): PlatformDefinition {
  const found = PLATFORMS.find(({ name }) => name === text);
  if (found) return found;
  if (Object.hasOwn(PLANNED_PLATFORMS, text))
    throw new InvalidArgumentError(`${text} is not available yet in this version; choose ${platformNames()}.`);
  const meant = nearest(
    text,
    PLATFORMS.map(({ name }) => name),
  );
  const advice = meant === undefined ? "choose" : `did you mean ${meant}? Choose`;
  throw new InvalidArgumentError(`There is no such platform; ${advice} ${platformNames()}.`);
}
