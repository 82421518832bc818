import { Secret } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Listener, World } from "@talosmith/lib/world/world.ts";
import ssh2, { type ServerChannel } from "ssh2";
import { afterEach, beforeAll, expect, test } from "vitest";
import { newSshKey } from "../../test/support/ssh-key.ts";
import { openShell } from "./open-shell.ts";
import type { Shell } from "./shell.ts";

const world: World = { ...realWorld(), env: () => undefined };
const keys = { host: "", user: "" };
let listener: Listener | undefined;
let shell: Shell | undefined;
let heard: string[] = [];

type Answer = string | { stderr: string; code: number } | ((channel: ServerChannel) => void);

beforeAll(() => {
  for (const name of ["host", "user"] as const) keys[name] = newSshKey().privateKey;
});
afterEach(async () => {
  shell?.close();
  await listener?.close();
  heard = [];
});

/** A server with fixed answers that accepts every login. */
async function server(answers: (command: string) => Answer): Promise<Shell> {
  listener = await world.net.listen({ host: "127.0.0.1", port: 0 }, (socket) => {
    const ssh = new ssh2.Server({ hostKeys: [keys.host] }, (client) => {
      client.on("error", () => {});
      client.on("authentication", (asked) => (asked.method === "none" ? asked.reject(["publickey"]) : asked.accept()));
      client.on("session", (accept) =>
        accept().on("exec", (begin, _, { command }) => {
          heard.push(command);
          const channel = begin();
          const answer = answers(command);
          if (typeof answer === "function") return answer(channel);
          if (typeof answer === "string") channel.write(answer);
          else channel.stderr.write(answer.stderr);
          channel.exit(typeof answer === "string" ? 0 : answer.code);
          channel.end();
        }),
      );
    });
    ssh.injectSocket(socket);
  });
  const target = { host: "127.0.0.1", port: listener.port, user: "somebody", key: new Secret(keys.user), firstKey: true };
  shell = await openShell(world, { ...target, section: "vps.ssh" });
  return shell;
}

const FROM = "198.51.100.7 40000 203.0.113.9 22";
const whoIs = (id: number, login: string) => `${id}\n${login}\n${FROM}\n`;

test("root with a usual shell is given the command as it is", async () => {
  const opened = await server((command) => (command.startsWith("id -u") ? whoIs(0, "/bin/bash") : "hello\n"));
  expect(await opened.run("echo $HOME")).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
  expect(heard.at(-1)).toBe("echo $HOME");
  expect(opened.hostKey()).toMatch(/^SHA256:/);
});

test("root with another shell starts sh", async () => {
  const opened = await server((command) => (command.startsWith("id -u") ? whoIs(0, "/usr/bin/zsh") : ""));
  await opened.run("echo 'a b'");
  expect(heard.at(-1)).toBe(`sh -c 'echo '\\''a b'\\'''`);
});

test("another user goes through sudo, and does not lose from where we come", async () => {
  const opened = await server((command) => {
    if (command.startsWith("id -u")) return whoIs(1000, "/bin/bash");
    return command === "sudo -n id -u" ? "0\n" : "";
  });
  await opened.run("true");
  expect(heard.at(-1)).toBe(`sudo -n sh -c 'export SSH_CONNECTION='\\''${FROM}'\\''\ntrue'`);
});

test("another user whom sudo asks for a password is refused", async () => {
  const answers = (command: string) =>
    command.startsWith("id -u") ? whoIs(1000, "/bin/bash") : { stderr: "sudo: a password is required\n", code: 1 };
  await expect(server(answers)).rejects.toMatchObject({
    kind: "user",
    code: "NOT_ROOT",
    detail: "sudo: a password is required\nNothing was written.",
    hint: expect.stringContaining("vps.ssh.user: root"),
  });
});

test("a menu is no shell", async () => {
  await expect(server(() => "Welcome! Press 1 for help\n")).rejects.toMatchObject({
    code: "NOT_A_SHELL",
    detail: expect.stringContaining("Press 1 for help"),
  });
});

test("the output of a fed command arrives line by line, including the last one", async () => {
  const opened = await server((command) => {
    if (command.startsWith("id -u")) return whoIs(0, "/bin/sh");
    return (channel) => {
      let bytes = 0;
      channel.on("data", (part: Buffer) => {
        bytes += part.length;
      });
      channel.on("end", () => {
        channel.write("fir");
        channel.write(`st\nsecond\n${bytes}`);
        channel.exit(0);
        channel.end();
      });
    };
  });
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(300_000);
    yield Buffer.alloc(5);
  }
  const lines: string[] = [];
  expect(await opened.feed("x", source(), { line: (text) => lines.push(text) })).toEqual({ code: 0, stderr: "" });
  expect(lines).toEqual(["first", "second", "300005"]);
});
