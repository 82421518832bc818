/** Parts that first configs of environments on the lab have in common. */

export const LAB_HEAD = `# yaml-language-server: $schema=../../schema/config.schema.json
# An environment on the embedded lab. Written once; edit it as you like.`;

export const LAB_ADDONS = `addons:
  cilium: { version: 1.20.1, repository: "\${file:.lab/charts}" }
`;
