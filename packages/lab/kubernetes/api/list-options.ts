import { type Cause, invalid } from "./status.ts";

const forbidden = (field: string, why: string): Cause => ({ reason: "FieldValueForbidden", message: `Forbidden: ${why}`, field });

/** Checks combinations of list and watch options as k8s.io/apimachinery does. */
export function checkListOptions(query: URLSearchParams, watch: boolean): void {
  const causes = watch ? watchProblems(query) : listProblems(query);
  if (causes.length > 0) throw invalid("meta.k8s.io", "ListOptions", "", causes);
}

function listProblems(query: URLSearchParams): Cause[] {
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const at = "resourceVersionMatch";
  if (query.has("sendInitialEvents")) return [forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")];
  if (match === "") return [];
  return [
    ...(version === "" ? [forbidden(at, "resourceVersionMatch is forbidden unless resourceVersion is provided")] : []),
    ...(query.get("continue") ? [forbidden(at, "resourceVersionMatch is forbidden when continue is provided")] : []),
    ...(["Exact", "NotOlderThan"].includes(match)
      ? []
      : [
          {
            reason: "FieldValueNotSupported",
            message: `Unsupported value: ${JSON.stringify(match)}: supported values: "", "Exact", "NotOlderThan"`,
            field: at,
          },
        ]),
    ...(match === "Exact" && version === "0"
      ? [forbidden(at, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
      : []),
  ];
}

function watchProblems(query: URLSearchParams): Cause[] {
  const match = query.get("resourceVersionMatch") ?? "";
  const at = "resourceVersionMatch";
  if (query.has("sendInitialEvents")) {
    return match === "NotOlderThan"
      ? []
      : [forbidden(at, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")];
  }
  return match === "" ? [] : [forbidden(at, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")];
}
