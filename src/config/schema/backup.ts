import { list, section, text } from "./value.ts";

const RECIPIENT = /^age1[02-9ac-hj-np-z]{40,}$/;

export const backup = section("Who can open what is kept of the cluster.", {
  recipients: list(
    text({
      about: "An age recipient.",
      example: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
      check: (value) =>
        RECIPIENT.test(value)
          ? undefined
          : { says: "is no age recipient", hint: "write what age-keygen calls the public key: age1…" },
    }),
    {
      about:
        "The age recipients that backups and snapshots of etcd are encrypted to. talosmith backup can be given others on the command line; without recipients a snapshot is a plain file that you alone may read.",
      example: "[age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p]",
    },
  ).optional(),
});
