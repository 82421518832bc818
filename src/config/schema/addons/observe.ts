import * as z from "zod";
import { PRESETS } from "../../../catalog/addons/presets.ts";
import { choice, eachChecked, flag, leaves, section, text, type Wrong } from "../value.ts";
import * as words from "../words.ts";
import { preset, toldPreset } from "./chart-options.ts";

export const metricsServer = preset(
  PRESETS.metricsServer,
  "metrics-server, for kubectl top and autoscaling. Kubelets then request serving certificates from the cluster, which are approved automatically.",
  {},
);

export const nvidia = preset(
  PRESETS.nvidia,
  "NVIDIA's device plugin, which gives pods access to the GPUs of nodes with gpu. The driver is part of their Talos image.",
  {},
);

export const certManager = preset(PRESETS.certManager, "cert-manager, which issues certificates for workloads.", {});

const EXAMPLE = `{ cloud: { type: prometheus, url: https://prometheus.example.org/api/prom/push } }`;

const destination = section("A destination for data.", {
  type: choice({ about: "Protocol of the destination.", of: ["prometheus", "loki", "otlp"] }),
  url: text({
    about: "URL that receives the data.",
    example: "https://prometheus.example.org/api/prom/push",
    check: words.webAddress("the URL that receives data, such as https://prometheus.example.org/api/prom/push"),
  }),
  username: text({ about: "User name for the login.", example: '"123456"' }).optional(),
  password: text({
    about: `Password; without username, an access token. Prefer a reference (\${env:NAME} or \${file:PATH}) to the password itself.`,
    example: `\${env:GRAFANA_TOKEN}`,
  }).optional(),
});

const destinations = eachChecked(z.record(z.string(), destination), (name) =>
  words.NAME.test(name)
    ? undefined
    : ({
        says: "is not a valid destination name",
        hint: "use lower-case letters, digits and hyphens",
        on: "key",
      } satisfies Wrong),
)
  .check((context) => {
    if (Object.keys(context.value).length > 0 || context.issues.length > 0) return;
    const wrong: Wrong = { says: "is empty", hint: `name at least one: ${EXAMPLE}` };
    context.issues.push({ code: "custom", input: context.value, message: wrong.says, params: { ...wrong } });
  })
  .meta({ description: "Where to send metrics and logs, by a name of your choice." })
  .register(leaves, { example: EXAMPLE, typeHint: `write names with their settings: ${EXAMPLE}` });

export const monitoring = toldPreset(
  PRESETS.monitoring,
  "Grafana's k8s-monitoring: Alloy collects the cluster's metrics, events and logs and sends them to the destinations.",
  `{ destinations: ${EXAMPLE} }`,
  {
    destinations,
    logs: flag({
      about: "Whether to send logs and events, to the destinations of type loki or otlp.",
      byDefault: true,
    }).optional(),
  },
);
