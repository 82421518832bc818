// Loaded into a process with --import: writes what the process used into the file RESOURCES when it ends.
import { writeFileSync } from "node:fs";

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeFileSync(
    process.env.RESOURCES,
    JSON.stringify({ cpuS: (userCPUTime + systemCPUTime) / 1e6, peakMB: (maxRSS * 1024) / 1e6 }),
  );
});
