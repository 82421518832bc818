const OLDEST = [20, 19];

/** Ends the process with a sentence when Node is too old to run the program. */
export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  process.stderr.write(
    `talosmith needs Node ${OLDEST.join(".")} or newer; this is Node ${process.versions.node} (${process.execPath})\n`,
  );
  process.exit(1);
}
