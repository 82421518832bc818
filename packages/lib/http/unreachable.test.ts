import { expect, test } from "vitest";
import { unreachable } from "./unreachable.ts";

const url = new URL("https://pve.example.lan:8006");
const failed = (message: string, code?: string) => unreachable(url, Object.assign(new Error(message), code && { code }));

test.each([
  ["ECONNREFUSED", "connect ECONNREFUSED", "connection refused", "check that the service runs there"],
  ["ENOTFOUND", "getaddrinfo ENOTFOUND", "the name pve.example.lan is unknown", "getent hosts pve.example.lan"],
  ["EAI_AGAIN", "getaddrinfo EAI_AGAIN", "no DNS server answers the question for pve.example.lan", "DNS server"],
  ["EHOSTUNREACH", "no answer within 10 s", "no answer within 10 s", "switched on"],
  [undefined, "no answer within 60 s", "no answer within 60 s", "switched on"],
  ["EPROTO", "wrong version number", "wrong version number", "check that https://pve.example.lan:8006 is the right address"],
])("%s is explained", (code, message, why, hint) => {
  expect(failed(message, code)).toEqual({ why: expect.stringContaining(why), hint: expect.stringContaining(hint) });
});
