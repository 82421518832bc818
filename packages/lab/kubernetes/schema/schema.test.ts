import { describe, expect, test } from "vitest";
import type { Loose } from "../objects.ts";
import { defaultCustom } from "./custom-defaults.ts";
import { customProblems } from "./custom-validate.ts";
import { decode } from "./decode.ts";
import { typeNamed, typeOf } from "./read-types.ts";
import { ANY } from "./schema.ts";
import { typeProblems } from "./typed.ts";

const deployment = (spec: Loose) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec });
const DEPLOYMENT = typeOf("apps", "v1", "Deployment") ?? ANY;

describe("a body is decoded as with the server's types", () => {
  test("every referenced type exists", () => {
    expect(typeNamed("core.v1.PodSpec")?.field("containers")?.schema).toMatchObject({ is: "list", by: ["name"], patch: "name" });
    expect(typeNamed("core.v1.Container")?.field("ports")?.schema).toMatchObject({ by: ["containerPort", "protocol"] });
  });

  test("an unknown field is dropped and reported with its path", () => {
    const containers = [{ name: "c", imagee: "x" }];
    const { value, strict } = decode(deployment({ replicaz: 1, template: { spec: { containers } } }), DEPLOYMENT);
    expect(strict).toEqual(['unknown field "spec.replicaz"', 'unknown field "spec.template.spec.containers[0].imagee"']);
    expect(value.spec).toEqual({ template: { spec: { containers: [{ name: "c" }] } } });
  });

  // Messages of Go's JSON decoder, as a real API server passes them on.
  test.each<[Loose, string]>([
    [{ replicas: "two" }, "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"],
    [{ paused: 1 }, "json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool"],
    [
      { template: { spec: { containers: {} } } },
      "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
  ])("%j is refused", (spec, why) => {
    expect(() => decode(deployment(spec), DEPLOYMENT)).toThrow(why);
  });

  test("data of a Secret is base64", () => {
    const secret = typeNamed("core.v1.Secret") ?? ANY;
    expect(() => decode({ data: { a: "no!!" } }, secret)).toThrow("illegal base64 data at input byte 2");
  });
});

// structured-merge-diff v6, typed/validate.go.
test.each<[Loose, string[]]>([
  [{ replicaz: 1 }, [".spec.replicaz: field not declared in schema"]],
  [{ replicas: "two" }, [".spec.replicas: expected numeric (int or float), got string"]],
  [
    { template: { spec: { containers: [{ name: "a" }, { name: "a" }] } } },
    ['.spec.template.spec.containers: duplicate entries for key [name="a"]'],
  ],
])("server-side apply refuses %j", (spec, problems) => {
  expect(typeProblems(deployment(spec), DEPLOYMENT)).toEqual(problems);
});

const CRON_TAB = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["cronSpec"],
      properties: {
        cronSpec: { type: "string", pattern: "^(\\S+\\s){4}\\S+$", maxLength: 20 },
        image: { type: "string", default: "busybox", enum: ["busybox", "alpine"] },
        replicas: { type: "integer", minimum: 1, maximum: 10 },
        hosts: { type: "array", maxItems: 2, items: { type: "object", properties: { port: { type: "integer", default: 80 } } } },
        size: { "x-kubernetes-int-or-string": true },
      },
    },
  },
};

describe("a CRD's schema", () => {
  // kube-openapi's pkg/validation/errors and apiextensions' kubeOpenAPIResultToFieldErrors, v0.36.
  test.each<[Loose, string[]]>([
    [{}, ["spec.cronSpec: Required value"]],
    [{ cronSpec: 5 }, ['spec.cronSpec: Invalid value: "integer": spec.cronSpec in body must be of type string: "integer"']],
    [{ cronSpec: "x" }, [`spec.cronSpec: Invalid value: "x": spec.cronSpec in body should match '^(\\S+\\s){4}\\S+$'`]],
    [
      { cronSpec: "* * * * *", replicas: 0 },
      ["spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1"],
    ],
    [
      { cronSpec: "* * * * *", replicas: 11 },
      ["spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10"],
    ],
    [
      { cronSpec: "* * * * *", image: "nginx" },
      ['spec.image: Unsupported value: "nginx": supported values: "busybox", "alpine"'],
    ],
    [{ cronSpec: "* * * * * and more of it" }, ["spec.cronSpec: Too long: may not be more than 20 bytes"]],
    [{ cronSpec: "* * * * *", hosts: [{}, {}, {}] }, ["spec.hosts: Too many: 3: must have at most 2 items"]],
    [
      { cronSpec: "* * * * *", hosts: [{ port: "x" }] },
      ['spec.hosts[0].port: Invalid value: "string": spec.hosts[0].port in body must be of type integer: "string"'],
    ],
    [{ cronSpec: "* * * * *", size: "10%" }, []],
  ])("refuses %j with %j", (spec, problems) => {
    const found = customProblems({ spec }, CRON_TAB).filter(({ message }) => !message.startsWith('Invalid value: "* *'));
    expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(problems);
  });

  test("sets default values, also inside lists", () => {
    const object = { spec: { cronSpec: "* * * * *", hosts: [{}, { port: 1 }] } as Loose };
    defaultCustom(object, CRON_TAB);
    expect(object.spec).toEqual({ cronSpec: "* * * * *", image: "busybox", hosts: [{ port: 80 }, { port: 1 }] });
  });
});
