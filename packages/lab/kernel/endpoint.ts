import { messageOf, remoteError } from "@talosmith/lib/errors.ts";
import type { Admission, Listener, Net } from "@talosmith/lib/world/world.ts";
import type { Endpoint } from "./kernel.ts";

export async function openEndpoint(net: Net, service: string, endpoint: Endpoint, admits?: Admission): Promise<Listener> {
  const at = admits ? { ...endpoint, admits } : endpoint;
  try {
    return "answer" in at ? await net.serve(at, at.answer) : await net.listen(at, at.accept);
  } catch (error) {
    throw remoteError("LAB_ENDPOINT", {
      message: `Unable to open the lab's ${service} at ${at.host}:${at.port}`,
      detail: messageOf(error),
      hint: `a program that listens on port ${at.port} of all addresses keeps the lab from it: ss -ltnp 'sport = :${at.port}'`,
      cause: error,
    });
  }
}
