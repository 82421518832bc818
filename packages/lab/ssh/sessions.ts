import type { Connection, Session } from "ssh2";
import { CONNECT_FAILED, refuseChannel } from "./refuse-channel.ts";

/** The default of MaxSessions in sshd_config, which counts shells, commands and subsystems of one connection, and no forwards. */
const MAX_SESSIONS = 10;

/**
 * Lets a connection have as many sessions as OpenSSH does. One too many is refused with the reason and the text of server_input_channel_open
 * (serverloop.c). A session counts until both sides have closed its channel.
 */
export function acceptSessions(connection: Connection, opened: (session: Session) => void, most = MAX_SESSIONS): void {
  const open = new Set<Session>();
  connection.on("session", (accept, reject) => {
    if (open.size >= most) return refuseChannel(connection, reject, CONNECT_FAILED, "open failed");
    const session = accept();
    open.add(session);
    session.on("close", () => open.delete(session));
    opened(session);
  });
}
