import type { Finding } from "../../engine/step.ts";
import type { Problem } from "../../kubernetes/health.ts";

/** One finding for each subject with problems. */
export function problemFindings(problems: readonly Problem[], code: string): Finding[] {
  const subjects = [...new Set(problems.map((one) => one.subject))];
  return subjects.map((subject) => {
    const wrong = problems.filter((one) => one.subject === subject);
    const hints = wrong.flatMap((one) => one.hint ?? []);
    const message = `${subject}: ${wrong.map((one) => one.problem).join("; ")}`;
    const isComing = wrong.every(({ coming }) => coming);
    return {
      level: "fail",
      code,
      message,
      ...(hints.length > 0 && { hint: hints.join("\n") }),
      ...(isComing && { coming: true }),
    };
  });
}
