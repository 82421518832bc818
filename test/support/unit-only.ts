import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { Server, Socket } from "node:net";

/* Unit tests open no sockets and start no processes: they stay quick and independent of other load on the machine. */

function refuse(): never {
  throw new Error("A unit test opened a socket or started a process: name its file *.integration.test.ts");
}

Server.prototype.listen = refuse;
Socket.prototype.connect = refuse;
Object.assign(childProcess, { spawn: refuse, spawnSync: refuse, execFile: refuse, execFileSync: refuse });
syncBuiltinESMExports();

/* Files run one after the other in one process: a replaced timer that one of them leaves behind would stop the clocks of the others. */

const timing = () => [setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, Date.now, performance.now];
const shared = globalThis as { timing?: ReturnType<typeof timing> };
shared.timing ??= timing();
if (timing().some((one, at) => one !== shared.timing?.[at])) {
  throw new Error("An earlier test file in this process did not restore a timer or a clock that it had replaced");
}
