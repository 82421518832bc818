// Loaded into a child process with --import: kills it with SIGKILL right after the journal's n-th line is written.
// The program under test knows nothing of it.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const at = Number(process.env.KILL_AT);
const journals = new Set();
let lines = 0;
let due = false;

const { openSync, closeSync, writeSync } = fs;
fs.openSync = (path, ...rest) => {
  const file = openSync(path, ...rest);
  if (String(path).endsWith("events.jsonl")) journals.add(file);
  return file;
};
fs.writeSync = (file, ...rest) => {
  const written = writeSync(file, ...rest);
  if (journals.has(file) && written > 0 && ++lines === at) due = true;
  return written;
};
fs.closeSync = (file) => {
  journals.delete(file);
  closeSync(file);
  if (due) process.kill(process.pid, "SIGKILL");
};
syncBuiltinESMExports();
