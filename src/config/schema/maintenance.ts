import * as z from "zod";
import { DEFAULT_MAINTENANCE } from "../defaults.ts";
import { checked, leaves, section, type Wrong } from "./value.ts";

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
