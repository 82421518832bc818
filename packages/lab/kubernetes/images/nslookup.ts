import type { Process } from "../pods/program.ts";
import { NetworkTrouble } from "../pods/trouble.ts";

const TIMEOUT_S = 5;
const TRIES = 3;

/** bind's nslookup: one query with options for time-out and retries; exit code 1 when there is no answer. */
export async function nslookup(run: Process, args: readonly string[]): Promise<number> {
  const option = (name: string, otherwise: number) =>
    Number(args.find((arg) => arg.startsWith(`-${name}=`))?.replace(/^.*=/, "") ?? otherwise);
  const name = args.find((arg) => !arg.startsWith("-")) ?? "";
  for (let left = Math.max(1, option("retry", TRIES)); ; left--) {
    try {
      const found = await run.resolve(name);
      run.log(`Server:\t\t${found.server}\nAddress:\t${found.server}#53\n\nName:\t${found.name}\nAddress: ${found.address}`);
      return 0;
    } catch (error) {
      if (!(error instanceof NetworkTrouble)) throw error;
      if (error.is === "unresolved") {
        run.log(`** server can't find ${name.replace(/\.$/, "")}: NXDOMAIN`);
        return 1;
      }
      // It retries only when there is no response.
      if (error.is === "dns-refused") {
        run.log(";; no servers could be reached");
        return 1;
      }
      await run.sleep(option("timeout", TIMEOUT_S) * 1000);
      if (left > 1) continue;
      run.log(";; connection timed out; no servers could be reached");
      return 1;
    }
  }
}
