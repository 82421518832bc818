import { decodeBech32 } from "@talosmith/lib/age/bech32.ts";
import { list, section, text } from "./value.ts";

/** A public key of age, with the checksum that is part of it. */
function isRecipient(text: string): boolean {
  const key = decodeBech32(text);
  return key?.word === "age" && key.bytes.length === 32;
}

export const backup = section("Who can open what is kept of the cluster.", {
  recipients: list(
    text({
      about: "An age recipient.",
      example: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
      check: (value) =>
        isRecipient(value)
          ? undefined
          : { says: "is not an age recipient", hint: "copy what age-keygen calls the public key: age1…" },
    }),
    {
      about:
        "The age recipients that backups and snapshots of etcd are encrypted to. talosmith backup can be given others on the command line; without recipients a snapshot is a plain file that you alone may read.",
      example: "[age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p]",
    },
  ).optional(),
});
