import assert from "node:assert/strict";
import { execute, version } from "./execute.js";
import { Skipped } from "./skipped.js";

const REFUSED_LOGIN_SECONDS = 3 / 200;

/** The raw words of the HTTP conversation, which most clients hide. */
export async function curl(withLab) {
  if ((await version("curl", "--version")) === undefined) throw new Skipped("there is no curl");
  return withLab(async ({ url, token }) => {
    const answers = conversation(url, token);
    for (const { name, args, status, headers, body, atLeast } of answers) {
      const seen = await ask(args);
      assert.equal(seen.status, status, name);
      for (const [header, value] of Object.entries(headers ?? {}))
        assert.equal(seen.headers[header], value, `${name}: ${header}`);
      if (body !== undefined) assert.deepEqual(typeof body === "string" ? seen.body : JSON.parse(seen.body), body, name);
      if (atLeast !== undefined) assert.ok(seen.seconds >= atLeast, `${name}: answered after only ${seen.seconds} s`);
    }
    return `${answers.length} conversations`;
  });
}

function conversation(url, token) {
  const api = `${url}/api2/json`;
  const known = ["--header", `Authorization: PVEAPIToken=${token}`];
  const bare = { connection: "close", server: "pve-api-daemon/3.0" };
  const refused = { connection: "close", "content-type": "application/json;charset=UTF-8" };
  return [
    {
      name: "a good answer",
      args: [...known, `${api}/cluster/nextid`],
      status: "HTTP/1.1 200 OK",
      headers: { "cache-control": "max-age=0", pragma: "no-cache", "content-type": "application/json;charset=UTF-8" },
      body: { data: "100" },
    },
    {
      name: "nobody's call is refused, late and without a body",
      args: [`${api}/version`],
      status: "HTTP/1.1 401 No ticket",
      headers: bare,
      body: "",
      atLeast: REFUSED_LOGIN_SECONDS,
    },
    {
      name: "a wrong secret",
      args: ["--header", `Authorization: PVEAPIToken=${token.split("=")[0]}=wrong`, `${api}/version`],
      status: "HTTP/1.1 401 Authentication failed!",
      headers: bare,
      body: "",
      atLeast: REFUSED_LOGIN_SECONDS,
    },
    {
      name: "a wrong password",
      args: ["--data-urlencode", "username=root@pam", "--data-urlencode", "password=wrong", `${api}/access/ticket`],
      status: "HTTP/1.1 401 authentication failure",
      headers: refused,
      body: { data: null, message: "authentication failure\n" },
      atLeast: REFUSED_LOGIN_SECONDS,
    },
    {
      name: "a body on DELETE",
      args: [...known, "--request", "DELETE", "--data", "purge=1", `${api}/nodes/pve1/qemu/100`],
      status: "HTTP/1.1 501 Unexpected content for method 'DELETE'",
      headers: bare,
      body: "Unexpected content for method 'DELETE'",
    },
    {
      name: "a body on GET",
      args: [...known, "--request", "GET", "--data", "{}", `${api}/version`],
      status: "HTTP/1.1 501 Unexpected content for method 'GET'",
      headers: bare,
      body: "Unexpected content for method 'GET'",
    },
    {
      name: "an unknown path",
      args: [...known, `${api}/nothing/here`],
      status: "HTTP/1.1 501 Method 'GET /nothing/here' not implemented",
      headers: refused,
      body: { data: null, message: "Method 'GET /nothing/here' not implemented" },
    },
    {
      name: "an unknown verb",
      args: [...known, "--request", "PATCH", `${api}/version`],
      status: "HTTP/1.1 501 method 'PATCH' not available",
      headers: bare,
      body: "",
    },
    {
      name: "HEAD",
      args: [...known, "--head", `${api}/version`],
      status: "HTTP/1.1 501 method 'HEAD' not available",
      headers: bare,
    },
    {
      name: "an unknown formatter",
      args: [...known, `${url}/api2/xml/version`],
      status: "HTTP/1.1 501 no formatter for uri /version, xml",
      headers: bare,
      body: "no formatter for uri /version, xml",
    },
    {
      name: "a body in pieces",
      args: [...known, "--header", "Transfer-Encoding: chunked", "--data", "poolid=x", `${api}/pools`],
      status: "HTTP/1.1 501 chunked transfer encoding not supported",
      headers: bare,
      body: "chunked transfer encoding not supported",
    },
    {
      name: "a body of another type",
      args: [...known, "--header", "Content-Type: text/plain", "--data", "poolid=x", `${api}/pools`],
      status: "HTTP/1.1 506 upload 'Content-Type 'text/plain' not implemented",
      headers: bare,
      body: "upload 'Content-Type 'text/plain' not implemented",
    },
    {
      name: "parameters that fail",
      args: [...known, "--data", "vmid=99", "--data", "cores=0", `${api}/nodes/pve1/qemu`],
      status: "HTTP/1.1 400 Parameter verification failed.",
      headers: refused,
      body: {
        data: null,
        message: "Parameter verification failed.\n",
        errors: {
          vmid: "invalid format - value does not look like a valid VM ID\n",
          cores: "value must have a minimum value of 1",
        },
      },
    },
    {
      name: "the other formatter is always content",
      args: [...known, `${url}/api2/extjs/nothing`],
      status: "HTTP/1.1 200 OK",
      body: { data: null, success: 0, status: 501, message: "Method 'GET /nothing' not implemented" },
    },
  ];
}

async function ask(args) {
  const always = ["--silent", "--show-error", "--insecure", "--http1.1", "--noproxy", "*", "--include", "--max-time", "20"];
  const said = await execute("curl", [...always, "--write-out", "\n%{time_total}", ...args]);
  const end = said.indexOf("\r\n\r\n");
  const [status, ...lines] = said.slice(0, end).split("\r\n");
  const seconds = said.lastIndexOf("\n");
  return {
    status,
    headers: Object.fromEntries(
      lines.map((line) => [line.split(":")[0].toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    ),
    body: said.slice(end + 4, seconds),
    seconds: Number(said.slice(seconds + 1)),
  };
}
