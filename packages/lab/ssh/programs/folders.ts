import { posix } from "node:path";
import { isFolder, makeFolder, namesIn, readBytes, readFile, removeFile, whyNotWritten, writeFile } from "../files.ts";
import type { RootView } from "../state.ts";
import { done, type Ended, failed, look, type Program, printed, type Started } from "./program.ts";

const names = (args: readonly string[]): string[] => args.filter((arg) => !arg.startsWith("-"));

export const ls: Program = (started) => {
  const paths = names(started.args);
  return look(started, (view) => {
    const lines: string[] = [];
    for (const path of paths.length > 0 ? paths : ["/root"]) {
      if (isFolder(view, path) || path.replace(/\/$/, "") === "/sys/kernel/iommu_groups") lines.push(...namesIn(view, path));
      else if (readFile(view, path) !== undefined) lines.push(path);
      else return failed(2, `ls: cannot access '${path}': No such file or directory\n`);
    }
    return printed(lines.map((line) => `${line}\n`).join(""));
  });
};

export const mkdir: Program = (started) =>
  look(started, (view) => {
    for (const path of names(started.args)) {
      if (!started.args.includes("-p")) {
        if (isFolder(view, path)) return failed(1, `mkdir: cannot create directory ‘${path}’: File exists\n`);
        if (!isFolder(view, posix.dirname(path)))
          return failed(1, `mkdir: cannot create directory ‘${path}’: No such file or directory\n`);
      }
      makeFolder(view, path);
    }
    return done;
  });

export const rm: Program = (started) =>
  look(started, (view) => {
    const force = started.args.some((arg) => /^-\w*f/.test(arg));
    for (const path of names(started.args)) {
      if (!removeFile(view, path) && !force) return failed(1, `rm: cannot remove '${path}': No such file or directory\n`);
    }
    return done;
  });

export const mv: Program = (started) => copy(started, "mv");
export const cp: Program = (started) => copy(started, "cp");

function copy(started: Started, program: "mv" | "cp"): Ended {
  const [from = "", to = ""] = names(started.args);
  return look(started, (view) => {
    const bytes = readBytes(view, from);
    if (bytes === undefined) return failed(1, `${program}: cannot stat '${from}': No such file or directory\n`);
    const target = isFolder(view, to) ? posix.join(to, posix.basename(from)) : to;
    const problem = whyNotWritten(view, target);
    if (problem !== undefined)
      return failed(1, `${program}: cannot ${program === "mv" ? "move" : "create regular file"} '${target}': ${problem}\n`);
    writeFile(view, target, bytes);
    if (program === "mv" && target !== from) removeFile(view, from);
    return done;
  });
}

/** Every file of root is root's: modes are taken note of by nobody. */
export const chmod: Program = (started) => {
  const [, ...paths] = names(started.args);
  const missing = look(started, (view) => paths.find((path) => readFile(view, path) === undefined && !isFolder(view, path)));
  return missing === undefined ? done : failed(1, `chmod: cannot access '${missing}': No such file or directory\n`);
};

export const readlink: Program = (started) => {
  const [path = ""] = names(started.args);
  const [, id] = /^\/sys\/bus\/pci\/devices\/([^/]+)\/driver$/.exec(path) ?? [];
  const driver = id === undefined ? undefined : look(started, (view) => driverOf(view, id));
  return driver === undefined ? failed(1, "") : printed(`../../../../bus/pci/drivers/${driver}\n`);
};

/** vfio-pci has a device when it was told to take it, and was loaded early enough; else a driver of its own has it. */
function driverOf({ host, system }: RootView, id: string): string | undefined {
  const device = host.pci.find((one) => one.id === id);
  if (!device) return undefined;
  if (system.modules.includes(`vfio-pci:${device.vendor}:${device.device}`)) return "vfio-pci";
  if (device.class.startsWith("03")) return device.vendor === "10de" ? "nouveau" : undefined;
  return device.class.startsWith("0403") ? "snd_hda_intel" : undefined;
}

/** `test`, and `[` with its bracket. */
export const test: Program = (started) => {
  const args = started.args.at(-1) === "]" ? started.args.slice(0, -1) : started.args;
  return look(started, (view) => (holds(view, args) ? done : failed(1, "")));
};

function holds(view: RootView, args: readonly string[]): boolean {
  const [first = "", second = "", third = ""] = args;
  if (first === "!") return !holds(view, args.slice(1));
  if (args.length === 1) return first !== "";
  if (second === "=") return first === third;
  if (second === "!=") return first !== third;
  if (/^-(eq|ne|gt|ge|lt|le)$/.test(second)) return compare(Number(first), second, Number(third));
  const isFile = readFile(view, second) !== undefined;
  if (first === "-f") return isFile;
  if (first === "-d") return isFolder(view, second) || second === "/sys/firmware/efi";
  if (first === "-e") return isFile || isFolder(view, second);
  if (first === "-s") return (readFile(view, second) ?? "") !== "";
  if (first === "-z") return second === "";
  return first === "-n" && second !== "";
}

function compare(one: number, how: string, other: number): boolean {
  const kinds: Record<string, boolean> = {
    "-eq": one === other,
    "-ne": one !== other,
    "-gt": one > other,
    "-ge": one >= other,
    "-lt": one < other,
    "-le": one <= other,
  };
  return kinds[how] ?? false;
}
