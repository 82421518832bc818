import { create } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import {
  IDQuerySchema,
  LabelQuerySchema,
  LabelTerm_Operation as Operation,
} from "@talosmith/wire/gen/cosi/resource/resource_pb.js";
import { expect, test } from "vitest";
import { fitting } from "./label-query.ts";

const node = { id: "EPHEMERAL", labels: { role: "system", size: "20GiB" } };
const term = (key: string, op: Operation, value: string[] = [], invert = false) => ({ key, op, value, invert });
const fits = (...queries: ReturnType<typeof term>[][]) =>
  fitting(queries.map((terms) => create(LabelQuerySchema, { terms })))(node);

// The terms are defined in COSI's pkg/resource/label_query.go.
test("every term of a query must match, and one of several queries", () => {
  expect(fits([term("role", Operation.EXISTS), term("role", Operation.EQUAL, ["system"])])).toBe(true);
  expect(fits([term("role", Operation.EXISTS), term("role", Operation.EQUAL, ["user"])])).toBe(false);
  expect(fits([term("role", Operation.EQUAL, ["user"])], [term("role", Operation.IN, ["system", "user"])])).toBe(true);
  expect(fits()).toBe(true);
});

test("a term can be inverted, and a term about a missing label does not match", () => {
  expect(fits([term("role", Operation.EQUAL, ["user"], true)])).toBe(true);
  expect(fits([term("other", Operation.NOT_EXISTS)])).toBe(true);
  expect(fits([term("other", Operation.EXISTS, [], true)])).toBe(true);
  expect(fits([term("other", Operation.LT, ["z"])])).toBe(false);
});

test("labels are compared as text, or as numbers with units", () => {
  expect(fits([term("size", Operation.LT, ["9GiB"])])).toBe(true);
  expect(fits([term("size", Operation.LT_NUMERIC, ["9GiB"])])).toBe(false);
  expect(fits([term("size", Operation.LTE_NUMERIC, ["20480MiB"])])).toBe(true);
});

test("ids are matched by a regular expression, and an invalid one is refused", () => {
  expect(fitting([], create(IDQuerySchema, { regexp: "^EPH" }))(node)).toBe(true);
  expect(fitting([], create(IDQuerySchema, { regexp: "^STATE$" }))(node)).toBe(false);
  expect(() => fitting([], create(IDQuerySchema, { regexp: "(" }))).toThrow(ConnectError);
});
