import ssh2 from "ssh2";

/** Runs a command as root on a host of the lab. */
export function asRoot(host: string, privateKey: string, command: string): Promise<{ exitCode: number; output: string }> {
  return new Promise((done, failed) => {
    const client = new ssh2.Client();
    client.on("error", failed);
    client.on("ready", () =>
      client.exec(command, (error, stream) => {
        if (error) return failed(error);
        let output = "";
        for (const one of [stream, stream.stderr]) one.on("data", (part: Buffer) => (output += part.toString("utf8")));
        stream.on("close", (exitCode: number) => {
          client.end();
          done({ exitCode, output });
        });
      }),
    );
    client.connect({ host, port: 2222, username: "root", privateKey, readyTimeout: 20_000 });
  });
}
