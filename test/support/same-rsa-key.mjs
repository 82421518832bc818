// Loaded into a child process with --import: its RSA key is the one that all tests share. The program under test knows nothing of it.
import crypto, { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";

const generate = promisify(crypto.generateKeyPair);

crypto.generateKeyPair = Object.assign(() => {}, {
  [promisify.custom]: async (kind, options) => {
    if (kind !== "rsa" || process.env.RSA_KEY === undefined) return generate(kind, options);
    const privateKey = createPrivateKey(readFileSync(process.env.RSA_KEY));
    return { privateKey, publicKey: createPublicKey(privateKey) };
  },
});
syncBuiltinESMExports();
