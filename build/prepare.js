import { bundle } from "./bundle.js";
import { LauncherError } from "./error.js";
import { install } from "./install.js";
import { prune } from "./prune.js";

/** Makes a build of the sources as they are and returns its stamp. Says what takes time; ends the process when it cannot. */
export async function prepare({ root, stamp }) {
  try {
    await install(root, say);
    const build = await bundle(root, stamp, say);
    prune(root, build);
    return build;
  } catch (error) {
    if (!(error instanceof LauncherError)) throw error;
    say(`${error.message}\n${error.detail}`.trimEnd());
    process.exit(1);
  }
}

/** On stderr: stdout belongs to the program. */
function say(text) {
  process.stderr.write(`talosmith: ${text}\n`);
}
