const pending = [];

/** Remembers how to undo what was just done. `work` must be synchronous: it also runs when a signal ends the process. */
export function undoLater(work) {
  pending.push(work);
}

/** Undoes everything, newest first. A part that fails does not stop the others. */
export function undoAll() {
  const failures = [];
  for (let work = pending.pop(); work !== undefined; work = pending.pop()) {
    try {
      work();
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return failures;
}

// The process ends through ../lab.js then.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, undoAll);
