// Loaded into a child process with --import: like macOS, the system has no other loopback address than 127.0.0.1.
import net from "node:net";

const isAbsent = (host) => /^127\./.test(host ?? "") && host !== "127.0.0.1";
const failure = (call, code) => Object.assign(new Error(`${call} ${code}`), { code });
const { listen } = net.Server.prototype;
const { connect } = net.Socket.prototype;

net.Server.prototype.listen = function (options, ...rest) {
  if (!isAbsent(options?.host)) return listen.call(this, options, ...rest);
  process.nextTick(() => this.emit("error", failure("listen", "EADDRNOTAVAIL")));
  return this;
};

net.Socket.prototype.connect = function (...args) {
  // net.connect passes its arguments as one list.
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  if (!isAbsent(options?.host)) return connect.apply(this, args);
  process.nextTick(() => this.destroy(failure("connect", "ENETUNREACH")));
  return this;
};
