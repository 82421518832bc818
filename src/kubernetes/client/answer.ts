import { remoteError } from "../../lib/errors.ts";
import type { ServerAnswer } from "./servers.ts";

export function parsed<T>(answer: Pick<ServerAnswer, "body" | "host">, path: string): T {
  try {
    return JSON.parse(answer.body) as T;
  } catch (cause) {
    throw remoteError("KUBERNETES_REFUSED", {
      message: `Unable to understand ${answer.host}`,
      detail: `${path} is not JSON: ${answer.body.slice(0, 200)}`,
      hint: "is a Kubernetes API server at that address?",
      cause,
    });
  }
}
