import { invalid } from "./refused.ts";
import type { Labels } from "./state.ts";

const NAME = /^[a-z0-9A-Z]([-_.a-z0-9A-Z]{0,61}[a-z0-9A-Z])?$/;
const PREFIX = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

export function checkLabels(labels: Labels): Labels {
  for (const [key, value] of Object.entries(labels)) {
    const [name = "", prefix, ...more] = key.split("/").reverse();
    const fits = NAME.test(name) && (prefix === undefined || PREFIX.test(prefix)) && more.length === 0;
    if (!fits || !(value === "" || NAME.test(value))) throw invalid("labels", `invalid label "${key}: ${value}"`);
  }
  return labels;
}

/** Whether labels match a selector: "a", "!a", "a=1", "a==1", "a!=1", "a in (1,2)", "a notin (1)", joined by commas; all of them must match. */
export function selects(selector: string, labels: Labels): boolean {
  const parts = selector.match(/[^,(]+(\([^)]*\))?/g) ?? [];
  return parts.every((part) => fits(part.trim(), labels));
}

function fits(part: string, labels: Labels): boolean {
  const among = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(part);
  if (among) {
    const [, key = "", word, list = ""] = among;
    return list.split(",").some((value) => value.trim() === labels[key]) === (word === "in");
  }
  const compared = /^([^!=\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(part);
  if (compared) {
    const [, key = "", word, value] = compared;
    return (labels[key] === value) === (word !== "!=");
  }
  if (!/^!?[^!=\s]+$/.test(part)) throw invalid("label_selector", `invalid label selector "${part}"`);
  return part.startsWith("!") ? labels[part.slice(1)] === undefined : labels[part] !== undefined;
}
