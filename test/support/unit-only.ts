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
