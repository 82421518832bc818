// Preloaded into a child: writes down what it asks of the system outside its own process, one JSON line each, to the file OUTSIDE_LOG.
import * as childProcess from "node:child_process";
import * as dgram from "node:dgram";
import * as dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import * as net from "node:net";

const log = (entry) => appendFileSync(process.env.OUTSIDE_LOG, `${JSON.stringify(entry)}\n`);

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const to = typeof first === "object" && first !== null ? first : { port: first, host: second };
  log({ what: "connect", to: to.path ?? `${to.host}:${to.port}` });
  return connect.apply(this, args);
};
for (const [module, names] of [
  [dns.default, ["lookup", "resolve", "resolve4", "resolve6"]],
  [dgram.default, ["createSocket"]],
  [childProcess.default, ["spawn", "spawnSync", "execFile", "execFileSync", "fork"]],
]) {
  for (const name of names) {
    const original = module[name];
    module[name] = function (...args) {
      log({ what: name, to: String(args[0]) });
      return original.apply(this, args);
    };
  }
}
syncBuiltinESMExports();
