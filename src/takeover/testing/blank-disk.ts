import type { SurveyedDisk } from "../survey.ts";

/** A disk of 40 GiB with nothing on it. */
export const BLANK_DISK: SurveyedDisk = {
  name: "sda",
  path: "/dev/sda",
  bytes: 40 * 1024 ** 3,
  rotational: false,
  readonly: false,
  removable: false,
  parts: [],
  inUse: [],
  members: [],
  holdsData: false,
};
