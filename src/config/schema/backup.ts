import { decodeBech32 } from "@talosmith/lib/age/bech32.ts";
import { list, section, text } from "./value.ts";

/** Whether a text is an age public key with a valid checksum. */
function isRecipient(text: string): boolean {
  const key = decodeBech32(text);
  return key?.word === "age" && key.bytes.length === 32;
}

export const backup = section("Encryption of backups and etcd snapshots.", {
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
        "Age recipients that backups and etcd snapshots are encrypted to. talosmith backup accepts others on the command line. Without recipients, a snapshot is an unencrypted file with mode 0600.",
      example: "[age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p]",
    },
  ).optional(),
});
