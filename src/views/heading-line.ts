import type { Heading } from "../engine/event.ts";
import { type Line, line, toned } from "./line.ts";

export function runHeading(heading: Heading, command: string, run: string): Line {
  return joined(heading.environment, [command, run === "" ? "" : `run ${run}`]);
}

export function planHeading(heading: Heading): Line {
  const { environment, platform, talos, kubernetes } = heading;
  return joined(environment, [platform, talos && `Talos ${talos}`, kubernetes && `Kubernetes ${kubernetes}`]);
}

function joined(first: string, more: readonly string[]): Line {
  const rest = more.filter((part) => part !== "").join(" · ");
  return first === "" ? line(rest) : line(toned("strong", first), rest === "" ? "" : ` · ${rest}`);
}
