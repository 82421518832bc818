import type { Effects } from "../jobs/job.ts";
import { updateEffects } from "./apply-update.ts";
import { cloneEffects } from "./clone.ts";
import { cloneDiskEffects } from "./clone-disk.ts";
import { createEffects } from "./create.ts";
import { destroyEffects } from "./destroy.ts";
import { diskEffects } from "./disk-steps.ts";
import { migrateEffects } from "./migrate.ts";
import { moveDiskEffects } from "./move-disk.ts";
import { powerEffects } from "./power.ts";
import { resizeEffects } from "./resize.ts";
import { snapshotEffects } from "./snapshot.ts";
import { templateEffects } from "./template.ts";

/** All effects on machines, by the names in steps. */
export const vmEffects: Effects = {
  ...cloneDiskEffects,
  ...cloneEffects,
  ...createEffects,
  ...destroyEffects,
  ...diskEffects,
  ...migrateEffects,
  ...moveDiskEffects,
  ...powerEffects,
  ...resizeEffects,
  ...snapshotEffects,
  ...templateEffects,
  ...updateEffects,
};
