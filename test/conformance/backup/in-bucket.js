import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { goModule } from "../oracle.js";
import { contentOf, furnish, madePrivate, RECIPIENT, refusal, talosmith } from "./environment.js";

const LOGIN = { AWS_ACCESS_KEY_ID: "keeper", AWS_SECRET_ACCESS_KEY: "a-secret-that-is-never-shown" };
const REGION = "here-1";

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** Versity's gateway while `play` runs: buckets are folders, which can be looked into. */
async function withServer(home, play) {
  const port = await freePort();
  const buckets = join(home, "buckets");
  for (const name of ["buckets/kept", "known"]) mkdirSync(join(home, name), { recursive: true });
  const env = { ...process.env, ROOT_ACCESS_KEY: LOGIN.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: LOGIN.AWS_SECRET_ACCESS_KEY };
  const program = await goModule("s3");
  const server = spawn(program, [buckets, join(home, "known"), `127.0.0.1:${port}`, REGION], { env, stdio: "ignore" });
  const ended = new Promise((done) => server.on("close", done));
  try {
    for (let tries = 0; ; tries++) {
      const answers = await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
      if (answers) break;
      if (tries > 100) throw new Error("the S3 server does not answer");
      await new Promise((done) => setTimeout(done, 100));
    }
    return await play(`http://127.0.0.1:${port}`, buckets);
  } finally {
    server.kill("SIGKILL");
    await ended;
  }
}

/** A server that checks every signature takes, lists and gives back our backups; what it changes is noticed. */
export function inBucket(home) {
  return withServer(home, async (endpoint, buckets) => {
    const environment = furnish(home);
    const original = contentOf(environment);
    const s3 = ["--s3-endpoint", endpoint, "--s3-region", REGION];
    const backup = (to, login = LOGIN) => [["backup", environment, "--recipient", RECIPIENT, "--to", to, ...s3], login];
    const stored = () => readdirSync(join(buckets, "kept/home lab"));
    await talosmith(...backup("s3://kept/home lab/"));
    const [name] = stored();
    assert.match(name, /^env-homelab-\d+T\d+Z\.tar\.gz\.age$/);
    const object = `s3://kept/home lab/${name}`;

    const listed = await talosmith(["restore", "--list", "s3://kept/home", "--json", ...s3], LOGIN);
    assert.deepEqual(
      JSON.parse(listed).result.rows.map(({ where }) => where),
      [object],
    );

    const restore = (...more) => [
      ["restore", object, environment, "--identity", join(home, "key.txt"), "--yes", ...s3, ...more],
      LOGIN,
    ];
    rmSync(environment, { recursive: true });
    await talosmith(...restore());
    assert.deepEqual(contentOf(environment), madePrivate(original));

    const before = readFileSync(join(buckets, "kept/home lab", name));
    assert.match(await refusal(...backup(object)), /does not contain what was written/);
    assert.deepEqual(readFileSync(join(buckets, "kept/home lab", name)), before, "a backup was overwritten");

    const wrong = await refusal(...backup("s3://kept/x", { ...LOGIN, AWS_SECRET_ACCESS_KEY: "another-secret-of-somebody" }));
    assert.match(wrong, /SignatureDoesNotMatch[\s\S]*AWS_SECRET_ACCESS_KEY/);
    assert.doesNotMatch(wrong, /another-secret/);
    if (process.env.FULL !== undefined) {
      assert.match(await refusal(...backup("s3://nowhere/x")), /NoSuchBucket[\s\S]*create the bucket nowhere/);
      const elsewhere = ["restore", "--list", "s3://kept/", "--s3-endpoint", endpoint, "--s3-region", "there-2"];
      assert.match(await refusal(elsewhere, LOGIN), /region/i);
    }

    before[before.length - 40] ^= 1;
    writeFileSync(join(buckets, "kept/home lab", name), before);
    writeFileSync(join(environment, "secrets.yaml"), "cluster:\n  id: newer\n");
    assert.match(await refusal(...restore("--replace")), /Unable to decrypt the file: it is damaged/);
    assert.match(readFileSync(join(environment, "secrets.yaml"), "utf8"), /newer/);
    return "kept, listed and fetched by an S3 server, whatever is wrong refused";
  });
}
