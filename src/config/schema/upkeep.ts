import { decodeBech32 } from "@talosmith/lib/age/bech32.ts";
import * as z from "zod";
import { DEFAULT_MAINTENANCE, DEFAULT_VERIFY } from "../defaults.ts";
import { imageName } from "./image-name.ts";
import { checked, flag, leaves, list, section, text, type Wrong } from "./value.ts";

const PERCENT = /^([1-9]\d?|100)%$/;
const HINT = "write a whole number such as 2, or a share of all workers such as 25%";

const workers = checked(z.union([z.int(), z.string()]), (value): Wrong | undefined =>
  typeof value === "number"
    ? value >= 1 && value <= 1000
      ? undefined
      : { says: "must be from 1 to 1000", hint: HINT }
    : PERCENT.test(value)
      ? undefined
      : { says: "is neither a number nor a percentage from 1% to 100%", hint: HINT },
)
  .meta({
    description:
      "How many workers may be out of service at one time: a number, or a share of all workers (rounded down, at least one). Workers that are down for other reasons count. Control planes are always taken out of service one at a time.",
    examples: ["25%"],
    default: DEFAULT_MAINTENANCE.workers,
  })
  .register(leaves, { example: "25%", typeHint: HINT });

export const maintenance = section("How nodes are taken out of service to restart, replace or remove them.", {
  workers: workers.optional(),
});

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

export const verify = section("Tests of the cluster in the last stage of up, and in verify.", {
  smoke: flag({
    about: "Whether a pod on every worker tests access to the API and to another pod. The pods are removed afterwards.",
    byDefault: DEFAULT_VERIFY.smoke,
  }).optional(),
  image: imageName("Image of these pods: Kubernetes's agnhost or a copy of it.", DEFAULT_VERIFY.image),
  gpuImage: imageName("Image of the pod that tests a GPU; nvidia-smi comes with the node's driver.", DEFAULT_VERIFY.gpuImage),
});
