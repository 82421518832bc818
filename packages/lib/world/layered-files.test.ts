import { expect, test } from "vitest";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { writeDurably } from "../durable.ts";
import { LayeredFiles } from "./layered-files.ts";

function layered(below: Record<string, string>, hides: (path: string) => boolean = () => false) {
  const real = new VolatileFiles();
  for (const [path, text] of Object.entries(below)) {
    real.makeFolder(path.replace(/\/[^/]*$/, ""), 0o755);
    real.write(path, Buffer.from(text), 0o644);
  }
  const before = state(real);
  return { real, files: new LayeredFiles(real, hides, () => 7), isUntouched: () => expect(state(real)).toEqual(before) };
}

const state = (files: VolatileFiles) => files.paths().map((path) => [path, String(files.read(path))]);
const text = (files: LayeredFiles, path: string) => {
  const data = files.read(path);
  return data && Buffer.from(data).toString();
};

test("what is below can be read, and is not changed by any change", () => {
  const { files, isUntouched } = layered({ "/env/config.yaml": "a", "/env/old": "b", "/env/sub/deep": "c" });
  expect(text(files, "/env/config.yaml")).toBe("a");
  files.append("/env/config.yaml", Buffer.from("!"), 0o600);
  files.rename("/env/old", "/env/new");
  files.remove("/env/sub");
  writeDurably(files, "/env/secrets.yaml", "s");
  files.touch("/env/new");
  expect([text(files, "/env/config.yaml"), text(files, "/env/new"), text(files, "/env/secrets.yaml")]).toEqual(["a!", "b", "s"]);
  expect([files.read("/env/old"), files.read("/env/sub/deep"), files.list("/env/sub")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(files.list("/env")).toEqual(["config.yaml", "new", "secrets.yaml"]);
  isUntouched();
});

test("a hidden file does not exist until it is written, and what is below it stays", async () => {
  const { files, isUntouched } = layered({ "/env/secrets.yaml": "real", "/env/.state/a": "real" }, (path) =>
    ["/env/secrets.yaml", "/env/.state"].includes(path),
  );
  expect([files.read("/env/secrets.yaml"), files.stat("/env/.state/a"), files.list("/env")]).toEqual([undefined, undefined, []]);
  await expect(files.stream("/env/secrets.yaml")[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "ENOENT" });
  files.create("/env/secrets.yaml", Buffer.from("fresh"), 0o600);
  files.makeFolder("/env/.state/b", 0o700);
  expect([text(files, "/env/secrets.yaml"), files.list("/env/.state")]).toEqual(["fresh", ["b"]]);
  isUntouched();
});

test("a name can be created once, and a removed folder comes back empty", () => {
  const { files } = layered({ "/env/a": "1", "/env/sub/b": "2" });
  expect(() => files.create("/env/a", Buffer.from(""), 0o600)).toThrow("EEXIST");
  expect(() => files.create("/nowhere/a", Buffer.from(""), 0o600)).toThrow("ENOENT");
  files.remove("/env/sub");
  files.makeFolder("/env/sub", 0o700);
  expect(files.list("/env/sub")).toEqual([]);
});

test("a folder is claimed by one name only", () => {
  const { files } = layered({ "/env/a": "1" });
  files.makeFolder("/env/mine", 0o700);
  files.append("/env/mine/owner", Buffer.from("me"), 0o600);
  expect(files.claim("/env/mine", "/env/lock")).toBe(true);
  files.makeFolder("/env/other", 0o700);
  expect([files.claim("/env/other", "/env/lock"), files.claim("/env/other", "/env/a")]).toEqual([false, false]);
  expect([text(files, "/env/lock/owner"), files.stat("/env/mine")]).toEqual(["me", undefined]);
});
