import type { Json } from "@talosmith/lib/json.ts";
import * as z from "zod";
import type { Preset } from "../../../catalog/addons/addon.ts";
import { PRESETS } from "../../../catalog/addons/presets.ts";
import * as kubernetes from "../kubernetes-words.ts";
import { checked, leaves, section, text, type Wrong } from "../value.ts";
import * as words from "../words.ts";

const CHART_VERSION = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

export const chartVersion = (byDefault?: string, spelledLike = byDefault) =>
  text({
    about: "Full version of the chart.",
    example: `"${byDefault ?? "1.2.3"}"`,
    ...(byDefault !== undefined && { byDefault }),
    pattern: CHART_VERSION,
    check: (value) => fullVersion(value, spelledLike),
  });

export const chartRepository = (byDefault?: string) => {
  const example = byDefault ?? "https://charts.example.org";
  return text({
    about: "Source of the chart: a chart repository, or oci:// and the path that contains the chart.",
    example,
    ...(byDefault !== undefined && { byDefault }),
    check: words.webAddress(`the repository's address, such as ${example}`, /^(https?|oci):$/),
  });
};

export const chartValues = (about: string) =>
  checked(z.record(z.string(), z.unknown()), values)
    .meta({ description: about, default: {} })
    .register(leaves, { example: "{ replicas: 2 }" })
    .optional();

export const namespace = (about: string, example: string, byDefault?: string) =>
  text({ about, example, ...(byDefault !== undefined && { byDefault }), check: kubernetes.namespace });

type Charted = Pick<Preset<never>, "chart">;

/** Presets that are another chart with another Talos, and so another way to write versions. */
const CHART_BY_TALOS: ReadonlySet<Charted> = new Set([PRESETS.nvidia]);

/** The options of every preset; each preset has further ones. */
function chartOptions(of: Charted) {
  const { chart } = of;
  return {
    version: chartVersion(chart.version, CHART_BY_TALOS.has(of) ? undefined : chart.version).optional(),
    repository: chartRepository(chart.repository).optional(),
    namespace: namespace("Namespace to install into.", chart.namespace, chart.namespace).optional(),
    values: chartValues("Chart values, merged over those of the preset."),
  };
}

/** A preset without required options: `true` is enough. `false` overrides the extended file. */
export function preset<S extends z.core.$ZodLooseShape>(of: Charted, about: string, own: S) {
  return orBoolean(about, { ...own, ...chartOptions(of) });
}

/** A preset with a fixed namespace. */
export function presetInPlace<S extends z.core.$ZodLooseShape>(of: Charted, about: string, own: S) {
  const { namespace: _, ...options } = chartOptions(of);
  return orBoolean(about, { ...own, ...options });
}

function orBoolean<S extends z.core.$ZodLooseShape>(about: string, shape: S) {
  return z
    .union([z.boolean(), section(about, shape)])
    .meta({ description: about })
    .register(leaves, { example: "true", typeHint: "write true, or the keys below it, indented, each with its value" })
    .optional();
}

/** A preset with required options, as in `example`. */
export function toldPreset<S extends z.core.$ZodLooseShape>(of: Charted, about: string, example: string, own: S) {
  return z
    .union([z.literal(false), section(about, { ...own, ...chartOptions(of) })])
    .meta({ description: about })
    .register(leaves, { example, typeHint: `write the keys it needs: ${example}` })
    .optional();
}

/** Checks a chart version. `such` shows whether this chart's versions begin with a v, which is part of the version. */
function fullVersion(value: string, such: string | undefined): Wrong | undefined {
  const bare = value.replace(/^v/i, "");
  const fitting = such === undefined ? value : `${such.startsWith("v") ? "v" : ""}${bare}`;
  if (CHART_VERSION.test(value) && value === fitting) return undefined;
  return {
    says: "is not a full chart version",
    hint: `write ${CHART_VERSION.test(fitting) ? `"${fitting}"` : `it in full, such as "${such ?? "1.2.3"}"`}`,
  };
}

function values(value: unknown): Wrong | undefined {
  if (isJson(value)) return undefined;
  return {
    says: "contains a value that JSON does not have",
    hint: "use text, whole and decimal numbers, true, false, lists and maps",
  };
}

/** Infinity and "not a number" exist in YAML, but not in the JSON that charts get. */
function isJson(value: unknown): value is Json {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "object" && value !== null) return Object.values(value).every(isJson);
  return value === null || typeof value === "string" || typeof value === "boolean";
}
