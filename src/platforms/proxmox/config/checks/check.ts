import type { Report } from "../../../../config/report.ts";
import type { ProxmoxFacts } from "../draft.ts";

export type ProxmoxCheck = (facts: ProxmoxFacts, report: Report) => void;
