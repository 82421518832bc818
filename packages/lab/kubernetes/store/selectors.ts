import { badRequest } from "../api/status.ts";
import type { KubeObject, Loose } from "../objects.ts";
import type { Resource } from "../resources/resource.ts";

export type Matches = (object: KubeObject) => boolean;

type Labels = Readonly<Record<string, string>>;
type LabelTest = (labels: Labels) => boolean;

/** Parses a label selector: `a=b,c!=d,e in (f,g),h,!i` */
export function labelSelector(text: string): LabelTest {
  const tests = splitRequirements(text).map(requirement);
  return (labels) => tests.every((test) => test(labels));
}

/** Splits at commas outside brackets. */
function splitRequirements(text: string): string[] {
  const parts = text.match(/(?:[^,(]|\([^)]*\))+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function requirement(text: string): LabelTest {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (set) {
    const [, key = "", operator, list = ""] = set;
    const values = list.split(",").map((value) => value.trim());
    return (labels) => values.includes(labels[key] ?? "\0") === (operator === "in");
  }
  const equal = /^([^\s=!]+)\s*(==|=|!=)\s*(\S*)$/.exec(text);
  if (equal) {
    const [, key = "", operator, value = ""] = equal;
    return (labels) => (labels[key] === value) === (operator !== "!=");
  }
  if (/^!\s*\S+$/.test(text)) {
    const key = text.slice(1).trim();
    return (labels) => labels[key] === undefined;
  }
  if (/^[^\s()]+$/.test(text)) return (labels) => labels[text] !== undefined;
  throw badRequest(`unable to parse requirement: found '${text}', expected: in, notin, =, ==, !=, or identifier`);
}

interface Expression {
  key: string;
  operator: string;
  values?: readonly string[];
}

/** Whether labels match a workload's selector: matchLabels and matchExpressions. An absent one selects nothing, an empty one everything. */
export function matchesSelector(
  selector: { matchLabels?: Labels; matchExpressions?: readonly Expression[] } | undefined,
  labels: Labels = {},
): boolean {
  if (!selector) return false;
  const same = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return same && (selector.matchExpressions ?? []).every((expression) => matchesExpression(expression, labels));
}

/** Also used for node affinity. */
export function matchesExpression({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return Number(value) > Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}

const EVERYWHERE = ["metadata.name", "metadata.namespace"];

/** Selectable fields of each kind, as in reality: a short list. */
const SELECTABLE: Record<string, readonly string[]> = {
  Pod: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
  ],
  Event: [
    ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((part) => `involvedObject.${part}`),
    ...["reason", "reportingComponent", "source", "type"],
  ],
  Namespace: ["status.phase"],
  Node: ["spec.unschedulable"],
  Secret: ["type"],
  Job: ["status.successful"],
  ReplicaSet: ["status.replicas"],
  Service: ["spec.clusterIP", "spec.type"],
};

export function fieldSelector({ kind, custom }: Pick<Resource, "kind" | "custom">, text: string): Matches {
  const selectable = [...EVERYWHERE, ...(custom ? custom.selectable : (SELECTABLE[kind] ?? []))];
  const tests = text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => {
      const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(part);
      if (!match) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
      const [, field = "", operator, value = ""] = match;
      if (!selectable.includes(field)) {
        throw badRequest(unknownField(kind, custom !== undefined, field));
      }
      return (object: KubeObject) => (textAt(object, field) === value) === (operator !== "!=");
    });
  return (object) => tests.every((test) => test(object));
}

/** The error for an unknown field: it differs between kinds with selectable fields, Job, and all others. */
function unknownField(kind: string, custom: boolean, field: string): string {
  if (kind === "Job") return `field label ${JSON.stringify(field)} not supported for Job`;
  if (custom || SELECTABLE[kind]) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function textAt(object: KubeObject, path: string): string {
  const value = path.split(".").reduce<Loose>((at, part) => at?.[part], object);
  if (path === "source") return object.source?.component ?? "";
  if (path === "spec.unschedulable" || path === "spec.hostNetwork") return String(value ?? false);
  return value === undefined ? "" : String(value);
}
