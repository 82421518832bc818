import { describe, expect, test } from "vitest";
import type { Loose } from "../../objects.ts";
import { Templates } from "./evaluate.ts";

function render(source: string, root: Loose = {}, more: Record<string, string> = {}): string {
  return new Templates({ ...more, "chart/templates/x.yaml": source }).render("chart/templates/x.yaml", root);
}

// `helm template` v3.19.0 printed every expected text, except for the method, which needs a custom root.
test.each<[string, Loose, string]>([
  ["a {{- 23 -}} b", {}, "a23b"],
  ["{{/* nothing */}}x{{- /* nothing */ -}}  y", {}, "xy"],
  ['{{ "quoted \\"text\\"" }}', {}, 'quoted "text"'],
  ["{{ .a.b }}", { a: { b: "c" } }, "c"],
  ["{{ .missing }}", {}, ""],
  ["{{ if .a }}yes{{ else if .b }}perhaps{{ else }}no{{ end }}", { b: 1 }, "perhaps"],
  ["{{ range .list }}<{{ . }}>{{ else }}none{{ end }}", { list: ["a", "b"] }, "<a><b>"],
  ["{{ range .list }}<{{ . }}>{{ else }}none{{ end }}", { list: [] }, "none"],
  ["{{ range $key, $value := .map }}{{ $key }}={{ $value }};{{ end }}", { map: { b: 2, a: 1 } }, "a=1;b=2;"],
  ["{{ range $i, $x := .list }}{{ if eq $i 1 }}{{ break }}{{ end }}{{ $x }}{{ end }}", { list: ["a", "b"] }, "a"],
  ["{{ with .a }}{{ .b }}{{ $.c }}{{ end }}", { a: { b: 1 }, c: 2 }, "12"],
  ["{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", {}, "2"],
  ['{{ (dict "a" (list 1 2)).a }}', {}, "[1 2]"],
  ["{{ and .a .b }}|{{ or .a .b }}|{{ not .a }}", { a: "", b: "x" }, "|x|true"],
  ["{{ and .a .a.b.c }}", { a: null }, ""],
  ['{{ printf "%s-%d-%q-%05d" "a" 1 "b" 42 }}', {}, 'a-1-"b"-00042'],
  ["{{ .m }}", { m: { b: true, a: [1, "x"] } }, "map[a:[1 x] b:true]"],
  ['{{ default "d" .a }}|{{ .b | default 1 }}|{{ 0 | default 5 }}', { b: 2 }, "d|2|5"],
  ['{{ ternary "a" "b" true }}{{ "x" | quote }}{{ .n | quote }}', {}, 'a"x"'],
  ["{{ toYaml .v | nindent 2 }}", { v: { b: ["x"], a: { c: true } } }, "\n  a:\n    c: true\n  b:\n  - x"],
  ['{{ list "b" "a" | sortAlpha | join "," }}', {}, "a,b"],
  ['{{ "1.36.3" | semverCompare ">=1.21.0-0" }}{{ semverCompare "^1.2" "2.0.0" }}', {}, "truefalse"],
  ['{{ kindIs "invalid" .x }}{{ kindIs "map" .m }}', { m: {} }, "truetrue"],
  ['{{ "abc" | sha256sum | trunc 8 }}', {}, "ba7816bf"],
  ['{{ trimSuffix "-" "a-" | upper | b64enc }}', {}, "QQ=="],
  ['{{ .o.f "x" }}', { o: { f: (text: string) => `<${text}>` } }, "<x>"],
  ['{{ get (merge (dict "a" 1) (dict "a" 2 "b" 3)) "b" }}', {}, "3"],
])("%s", (source, root, expected) => {
  expect(render(source, root)).toBe(expected);
});

describe("definitions", () => {
  const helpers = '{{- define "name" -}}{{ .Release.Name | trunc 3 }}{{- end -}}';

  test("a definition in one file can be included from all files", () => {
    expect(render('{{ include "name" . | quote }}', { Release: { Name: "cilium" } }, { "chart/templates/_h.tpl": helpers })).toBe(
      '"cil"',
    );
  });

  test("tpl renders a value", () => {
    expect(render("{{ tpl .v . }}", { v: "{{ .w }}", w: "inner" })).toBe("inner");
  });
});

test.each([
  ["{{ .a.b }}", {}, "nil pointer evaluating interface {}.b"],
  ["{{ nothing }}", {}, 'function "nothing" not defined'],
  ['{{ required "give a name" .name }}', {}, "execution error at (chart/templates/x.yaml:1:3): give a name"],
  ["{{ if .a }}", {}, "unexpected EOF"],
  ["{{ .a", {}, "unclosed action"],
])("%s is refused", (source, root, message) => {
  expect(() => render(source, root)).toThrow(message);
});
