import { test } from "vitest";
import { expectGenerated } from "../../../test/support/generated.ts";
import { MACHINE_FIELDS } from "./machine-fields.ts";

test("docs/reference/proxmox-machine-fields.md lists every field we manage", () => {
  const rows = MACHINE_FIELDS.map(
    (field) => `| ${field.path} | ${field.takesEffect === "live" ? "at once" : "after a restart"} | ${field.about} |`,
  );
  expectGenerated(
    "docs/reference/proxmox-machine-fields.md",
    `# What is managed about a Proxmox machine

Made from the source by a test; do not edit. A field changed behind our back shows in \`plan\` as exactly that field, and \`up\` mends
it. Everything that is not listed is left as it is found.

| field | takes effect | what it is |
|---|---|---|
${rows.join("\n")}
| disk | at once | nodes[].disk; grows only: a larger disk is kept, and said so |
| power | at once | on |
| address, role of the node | never: another machine | nodes[].ip and role; replaced only with \`--allow-remove NAME\` |
`,
  );
});
