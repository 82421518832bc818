import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { gitUrl, knownHostsOf } from "./git-source.ts";

test.each([
  ["git@github.com:me/cluster.git", "ssh://git@github.com/me/cluster.git"],
  ["github.com:me/cluster", "ssh://github.com/me/cluster"],
  ["git@example.org:/srv/cluster.git", "ssh://git@example.org/srv/cluster.git"],
  ["ssh://git@example.org:2222/cluster", "ssh://git@example.org:2222/cluster"],
  ["https://github.com/me/cluster", "https://github.com/me/cluster"],
])("%s is written as %s", (text, url) => {
  expect(gitUrl(text)).toBe(url);
});

// The fingerprints as GitHub, GitLab and Codeberg publish them.
test.each([
  ["github.com", ["+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU", "p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM"]],
  ["gitlab.com", ["eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8", "HbW3g8zUjNSksFbqTiUWPWg2Bq1x8xdGUrliXFzSnUw"]],
  ["codeberg.org", ["mIlxA9k46MmM6qdJOdMnAQpzGxF4WIVVL+fj+wZbw0g"]],
])("the keys of %s have the fingerprints it publishes", (host, published) => {
  const lines = knownHostsOf(`git@${host}:me/cluster.git`)?.trimEnd().split("\n") ?? [];
  const fingerprint = (line: string) =>
    createHash("sha256")
      .update(Buffer.from(line.split(" ")[2] ?? "", "base64"))
      .digest("base64")
      .replace(/=+$/, "");
  expect(lines.map(fingerprint)).toEqual(published);
  expect(lines.every((line) => line.startsWith(`${host} `))).toBe(true);
});

test("of other hosts, and other ports, nothing is known", () => {
  for (const url of ["git@git.example.org:a.git", "ssh://git@github.com:2222/a.git", "no url", ""]) {
    expect(knownHostsOf(url)).toBeUndefined();
  }
  expect(knownHostsOf("ssh://git@github.com:22/a.git")).toBe(knownHostsOf("git@github.com:a.git"));
});
