import { spawn } from "node:child_process";
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { LauncherError } from "./error.js";
import { withLock } from "./lock.js";

/** Installs the dependencies unless they are those of the lock file already. */
export async function install(root, say) {
  if (installed(root)) return;
  await withLock(join(root, "dist"), say, async () => {
    // Whoever held the lock before may have done it.
    if (installed(root)) return;
    refuseLink(root);
    say("installing its dependencies (npm ci) …");
    await npmCi(root);
  });
}

/** npm writes its own copy of the lock file at the very end, so a broken-off installation has none. */
function installed(root) {
  const wanted = packagesOf(join(root, "package-lock.json"));
  const present = packagesOf(join(root, "node_modules", ".package-lock.json"));
  return Object.entries(wanted).every(([path, entry]) => {
    if (entry.link) return leadsTo(join(root, path), join(root, entry.resolved));
    // The program itself and its own packages, which are in the clone.
    if (!path.includes("node_modules/")) return true;
    return entry.dev || entry.optional || present[path]?.version === entry.version;
  });
}

/** One of our own packages: a link to the packages/ of another clone would build that clone's sources. */
function leadsTo(link, folder) {
  try {
    return realpathSync(link) === realpathSync(folder);
  } catch {
    return false;
  }
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? {};
  } catch {
    return {};
  }
}

/** npm would empty the folder behind the link, which is somebody else's. */
function refuseLink(root) {
  const folder = join(root, "node_modules");
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new LauncherError(
      `${folder} is a link and does not match this clone`,
      "Remove the link: the next start installs the dependencies here.",
    );
  }
}

/** What a developer installed besides stays; everybody else gets what the program needs and no more. */
function npmArguments(root) {
  const developing = Object.values(packagesOf(join(root, "node_modules", ".package-lock.json"))).some((entry) => entry.dev);
  return ["ci", "--no-audit", "--no-fund", ...(developing ? [] : ["--omit=dev"])];
}

function npmCi(root) {
  return new Promise((resolve, reject) => {
    const npm = spawn("npm", npmArguments(root), { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (data) => (output += data));
    npm.on("error", (error) => {
      const missing = error.code === "ENOENT";
      const hint = "Install npm (it comes with Node) and make sure that it is on the PATH.";
      reject(missing ? new LauncherError("npm was not found", hint) : new LauncherError("unable to run npm", error.message));
    });
    npm.on("close", (code, signal) => {
      if (code === 0) return resolve();
      const how = signal ? `was ended by ${signal}` : `failed with exit code ${code}`;
      reject(new LauncherError(`npm ci ${how} in ${root}`, `${output}\nRun it there yourself to see more, then try again.`));
    });
  });
}
