import { TalosmithError } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyAnswer, ODD } from "../../../test/support/any-answer.ts";
import { runs } from "../../../test/support/runs.ts";
import { checkedObject } from "./answer.ts";
import { Kinds } from "./kinds.ts";
import { linesOf } from "./lines.ts";
import { listAll } from "./list.ts";
import { refusal } from "./refusal.ts";
import type { Servers } from "./servers.ts";

/* Whatever answers in the name of Kubernetes, it is an object, a list or a refusal; or it is said not to be understood. */

const KEYS = [
  ...["kind", "metadata", "name", "namespace", "items", "continue", "status", "spec", "conditions", "type", "labels", "reason"],
  ...["message", "details", "causes", "field", "resources", "namespaced", "taints", "code", "finalizers"],
];
const answer = anyAnswer(KEYS, [...ODD, "Status", 410]);
const body = fc.oneof(
  answer.map((said) => JSON.stringify(said) ?? ""),
  fc
    .record({ kind: fc.constant("Status"), reason: answer, message: answer, details: answer })
    .map((said) => JSON.stringify(said)),
  fc.record({ items: fc.array(answer), resources: fc.array(answer), metadata: answer }).map((said) => JSON.stringify(said)),
  fc.constantFrom("", "<html>", "{", `${"[".repeat(30_000)}`),
);
const { signal } = new AbortController();
const many = { numRuns: runs(200, 10_000) };

function servers(said: string, status = 200): Servers {
  return { send: async () => ({ status, reason: "", body: said, host: "10.10.0.11:6443" }) } as unknown as Servers;
}

function understood(error: unknown): void {
  if (!(error instanceof TalosmithError)) throw error;
  expect(["KUBERNETES_ANSWER", "KUBERNETES_REFUSED"]).toContain(error.code);
}

test("a refusal is read whatever it is made of", () => {
  fc.assert(
    fc.property(body, (said) => {
      const { reason, message, causes } = refusal({ status: 500, reason: "", body: said });
      expect([typeof reason, typeof message, causes?.every((one) => typeof one === "string")]).toEqual([
        "string",
        "string",
        true,
      ]);
      expect(message).not.toBe("");
    }),
    many,
  );
});

test("a list has objects in it, each with a name, or is not understood", async () => {
  const of = { apiVersion: "v1", kind: "Node" };
  await fc.assert(
    fc.asyncProperty(body, async (said) => {
      const listed = await listAll(servers(said), "/api/v1/nodes", of, signal).catch(understood);
      for (const { metadata } of listed?.items ?? []) expect(typeof metadata.name).toBe("string");
    }),
    many,
  );
});

test("a list that leads back to itself ends", async () => {
  const endless = JSON.stringify({ items: [], metadata: { continue: "again" } });
  await expect(listAll(servers(endless), "/api/v1/nodes", { apiVersion: "v1", kind: "Node" }, signal)).rejects.toMatchObject({
    code: "KUBERNETES_ANSWER",
    detail: expect.stringContaining("does not end"),
  });
});

test("a list of kinds is parsed or refused", async () => {
  await fc.assert(
    fc.asyncProperty(body, async (said) => {
      await new Kinds(servers(said)).knows({ apiVersion: "v1", kind: "x" }, signal).catch(understood);
    }),
    many,
  );
});

test.each([
  ["metadata.labels", { metadata: { name: "a", labels: ["x"] } }],
  ["metadata.finalizers", { metadata: { name: "a", finalizers: [1] } }],
  ["status.conditions", { metadata: { name: "a" }, status: { conditions: {} } }],
  ["status.conditions", { metadata: { name: "a" }, status: { conditions: [null] } }],
  ["spec.taints", { metadata: { name: "a" }, spec: { taints: "none" } }],
])("an object with an odd %s is refused by its place", (place, object) => {
  expect(() => checkedObject(object, { host: "h", body: "" }, "/x")).toThrow(
    expect.objectContaining({ detail: expect.stringContaining(place) }),
  );
});

test("a line that does not end is given up", async () => {
  const part = Buffer.alloc(1024 * 1024, "x");
  const parts = (async function* () {
    for (;;) yield part;
  })();
  await expect(linesOf(parts)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "KUBERNETES_ANSWER" });
});
