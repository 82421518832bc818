/**
 * A simulated error response: the status, the text whose first line becomes the reason phrase, and errors by parameter. Thrown by handlers; it is
 * never an error of the lab itself.
 */
export class SimulatedError extends Error {
  readonly status: number;
  readonly errors: Readonly<Record<string, string>> | undefined;

  constructor(status: number, message: string, errors?: Record<string, string>) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.errors = errors;
  }
}

/** A plain error of a handler (docs/facts/proxmox.md#status-codes). */
export function died(message: string): SimulatedError {
  return new SimulatedError(500, message);
}

export function badParameters(errors: Record<string, string>): SimulatedError {
  return new SimulatedError(400, "Parameter verification failed.", errors);
}

export function forbidden(detail?: string): SimulatedError {
  return new SimulatedError(403, detail === undefined ? "Permission check failed" : `Permission check failed (${detail})`);
}
