import * as z from "zod";
import { PRESETS } from "../../../catalog/addons/presets.ts";
import { choice, eachChecked, flag, leaves, section, text, type Wrong } from "../value.ts";
import * as words from "../words.ts";
import { preset, toldPreset } from "./chart-options.ts";

export const metricsServer = preset(
  PRESETS.metricsServer,
  "What kubectl top and autoscaling ask. Kubelets get their serving certificates from the cluster, which are approved.",
  {},
);

export const nvidia = preset(
  PRESETS.nvidia,
  "What gives pods the NVIDIA GPUs of nodes with gpu. The driver comes with their image.",
  {},
);

export const certManager = preset(PRESETS.certManager, "cert-manager: certificates for what runs in the cluster.", {});

const EXAMPLE = `{ cloud: { type: prometheus, url: https://prometheus.example.org/api/prom/push } }`;

const destination = section("Somewhere data is sent to.", {
  type: choice({ about: "What it speaks.", of: ["prometheus", "loki", "otlp"] }),
  url: text({
    about: "Where it takes data.",
    example: "https://prometheus.example.org/api/prom/push",
    check: words.webAddress("where it takes data, such as https://prometheus.example.org/api/prom/push"),
  }),
  username: text({ about: "Who to log in as.", example: '"123456"' }).optional(),
  password: text({
    about: `Password; without username it is sent as an access token. Better a reference (\${env:NAME} or \${file:PATH}) than the password itself.`,
    example: `\${env:GRAFANA_TOKEN}`,
  }).optional(),
});

const destinations = eachChecked(z.record(z.string(), destination), (name) =>
  words.NAME.test(name)
    ? undefined
    : ({ says: "is no name of a destination", hint: "use lower-case letters, digits and hyphens", on: "key" } satisfies Wrong),
)
  .check((context) => {
    if (Object.keys(context.value).length > 0 || context.issues.length > 0) return;
    const wrong: Wrong = { says: "is empty", hint: `name at least one: ${EXAMPLE}` };
    context.issues.push({ code: "custom", input: context.value, message: wrong.says, params: { ...wrong } });
  })
  .meta({ description: "Where measurements and logs are sent, each by a name of its own." })
  .register(leaves, { example: EXAMPLE, typeHint: `write names and what each is: ${EXAMPLE}` });

export const monitoring = toldPreset(
  PRESETS.monitoring,
  "Grafana's k8s-monitoring: Alloy collects measurements, events and logs of the cluster and sends them away.",
  `{ destinations: ${EXAMPLE} }`,
  {
    destinations,
    logs: flag({
      about: "Whether logs and events are sent, to the destinations of type loki or otlp.",
      byDefault: true,
    }).optional(),
  },
);
