import type { Finding } from "../../engine/step.ts";
import type { Problem } from "../../kubernetes/health.ts";

/** One finding for each subject: what is wrong with it, or that nothing is. */
export function asFindings(subjects: readonly string[], problems: readonly Problem[], code: string, fine: string): Finding[] {
  const all = [...new Set([...subjects, ...problems.map((one) => one.subject)])];
  return all.map((subject) => {
    const wrong = problems.filter((one) => one.subject === subject);
    if (wrong.length === 0) return { level: "ok", code, message: `${subject}: ${fine}` };
    const hints = wrong.flatMap((one) => one.hint ?? []);
    const message = `${subject}: ${wrong.map((one) => one.problem).join("; ")}`;
    return { level: "fail", code, message, ...(hints.length > 0 && { hint: hints.join("\n") }) };
  });
}
