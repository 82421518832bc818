import fc from "fast-check";
import { expect, test } from "vitest";
import { createRouter, type Params } from "./router.ts";

const route = createRouter([
  { method: "GET", pattern: "/nodes/:node/storage/:storage/content/*volume", handler: "volume" },
  { method: "GET", pattern: "/nodes/:node/storage/:storage/content", handler: "content" },
  { method: "POST", pattern: "/nodes/:node/storage/:storage/content", handler: "allocate" },
  { method: "GET", pattern: "/nodes/:node/:what", handler: "anything" },
  { method: "GET", pattern: "/nodes/:node/qemu", handler: "machines" },
  { method: "GET", pattern: "/", handler: "root" },
]);

test("a route is found with its site and its parameters", () => {
  expect(route("GET", "/nodes/pve1/storage/local/content")).toEqual({
    kind: "found",
    site: "GET /nodes/:node/storage/:storage/content",
    pattern: "/nodes/:node/storage/:storage/content",
    params: { node: "pve1", storage: "local" },
    handler: "content",
  });
});

test.each(["local:iso/x.iso", "local%3Aiso%2Fx.iso", "local:iso%2fx.iso"])(
  "a volume id is the same raw and encoded: %s",
  (volume) => {
    expect(route("GET", `/nodes/pve1/storage/local/content/${volume}`)).toMatchObject({
      handler: "volume",
      params: { volume: "local:iso/x.iso" },
    });
  },
);

test("any text can be passed in an encoded parameter", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "binary" }), (name) => {
      expect(route("GET", `/nodes/${encodeURIComponent(name)}/qemu`)).toMatchObject({ params: { node: name } });
    }),
  );
});

test("a literal segment wins over a parameter, wherever it is in the table", () => {
  expect(route("GET", "/nodes/pve1/qemu")).toMatchObject({ handler: "machines" });
  expect(route("GET", "/nodes/pve1/lxc")).toMatchObject({ handler: "anything", params: { what: "lxc" } });
});

test("a known path under another method lists the allowed methods", () => {
  expect(route("DELETE", "/nodes/pve1/storage/local/content")).toMatchObject({ kind: "other-method", methods: ["GET", "POST"] });
});

test.each(["/nope", "/nodes", "/nodes/%ff/qemu", "/nodes/pve1/qemu/104"])("no route matches %s", (path) => {
  expect(route("GET", path)).toEqual({ kind: "none" });
});

test("trailing and double slashes are ignored", () => {
  expect(route("GET", "//nodes/pve1/qemu/")).toMatchObject({ handler: "machines" });
  expect(route("GET", "/")).toMatchObject({ handler: "root" });
});

test("two routes for the same calls are refused", () => {
  const double = ["/a/:x", "/a/:y"].map((pattern) => ({ method: "GET", pattern, handler: 1 }));
  expect(() => createRouter(double)).toThrow("Unable to route GET /a/:y twice");
});

test("a rest parameter must come last", () => {
  expect(() => createRouter([{ method: "GET", pattern: "/a/*x/b", handler: 1 }])).toThrow("must come last");
});

test("the type of the parameters is derived from the pattern", () => {
  const params: Params<"/nodes/:node/content/*volume"> = { node: "pve1", volume: "local:iso/x.iso" };
  expect(Object.keys(params)).toEqual(["node", "volume"]);
});
