import type { Report } from "../../../../config/report.ts";
import type { VpsFacts } from "../draft.ts";

export type VpsCheck = (facts: VpsFacts, report: Report) => void;
