import { messageOf } from "../errors.ts";

/** Returns why a server cannot be reached, and what to check, from the error of a connection. */
export function unreachable(url: URL, error: unknown): { why: string; hint: string } {
  const { hostname, origin } = url;
  const why = messageOf(error);
  switch ((error as NodeJS.ErrnoException).code) {
    case "ECONNREFUSED":
      return {
        why: "connection refused: the computer answers, but nothing listens on this port",
        hint: `check that the service runs there, and that ${origin} is its address and port`,
      };
    case "ENOTFOUND":
      return {
        why: `the name ${hostname} is unknown`,
        hint: `correct the name, or write the address in its place. To see what this computer knows:  getent hosts ${hostname}`,
      };
    case "EAI_AGAIN":
      return {
        why: `no DNS server answers the question for ${hostname}`,
        hint: "check this computer's network and DNS server, or write the address in place of the name",
      };
    default:
      if (!why.startsWith("no answer"))
        return { why, hint: `check that ${origin} is the right address and can be reached from here` };
      return {
        why,
        hint: `check that the server is switched on, that ${origin} is its address, and that no firewall or missing VPN is in between`,
      };
  }
}
