import { expect, test } from "vitest";
import { expectGenerated } from "../../../test/support/generated.ts";
import { FIELD_CASES } from "./testing/field-cases.ts";
import { MANAGED, testOf } from "./testing/managed.ts";

test("every field has a test that changes it behind our back and in the config, and every such test a field", () => {
  expect(Object.keys(FIELD_CASES).sort()).toEqual(MANAGED.map(({ name }) => name).sort());
});

test("docs/reference/proxmox-machine-fields.md lists every field we manage", () => {
  const rows = MANAGED.map(
    ({ name, config, readsBack, class: when }) => `| ${name} | ${config} | ${readsBack} | ${when} | ${testOf(name)} |`,
  );
  expectGenerated(
    "docs/reference/proxmox-machine-fields.md",
    `# What is managed about a Proxmox machine

Made from the source by a test; do not edit. A field changed behind our back shows in \`plan\` as exactly that field, and \`up\` mends it, or says why it is kept.
Two spellings of the same thing are no difference. What is not listed is left as it is found, also inside a value of which we manage a part; what only root may
change and the config does not speak of is kept, with the command that changes it.

Another \`ip\`, role, firmware, disk bus (\`controller: virtio\` or not) or \`image.secureboot\` in the config means another machine: replaced only with \`--allow-remove NAME\`.

| field | config | reads back as | takes effect | test |
|---|---|---|---|---|
${rows.join("\n")}
`,
  );
});
