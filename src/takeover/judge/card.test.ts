import { expect, test } from "vitest";
import type { SurveyedCard, SurveyedNetwork } from "../survey.ts";
import { aCard, aServer, aWish } from "../testing/a-server.ts";
import { chooseCard, hasAddress } from "./card.ts";
import type { TakeoverWish } from "./wish.ts";

const ETH0 = aCard();
const ETH1 = aCard({ name: "eth1", mac: "BC:24:11:00:00:02", addresses: [] });
const ETH2 = aCard({ name: "eth2", mac: "BC:24:11:00:00:03", addresses: ["10.0.0.2/24", "fe80::1/64"] });

const choose = (cards: readonly SurveyedCard[], wish: Partial<TakeoverWish> = {}, network: Partial<SurveyedNetwork> = {}) =>
  chooseCard(aServer({ network: { cards, nameservers: [], ...network } }), aWish(wish));

/** The only problem of a choice. */
function problemOf({ card, problems }: ReturnType<typeof chooseCard>) {
  expect([card, problems.length]).toEqual([undefined, 1]);
  const { code, message, detail, hint, where } = problems[0] ?? {};
  return { code, message, facts: detail?.split("\n").slice(0, -1), hint, where: where?.file };
}

test("a card has an address in whatever spelling, and only its own", () => {
  const card = aCard({ addresses: ["10.0.0.2/24", "not an address", "2001:db8:0:0::1/64"] });
  expect(["10.0.0.2", "2001:db8::1", "10.0.0.3", "10.0.0.0", "2001:db8::", "::a00:2"].map((ip) => hasAddress(card, ip))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("a card with an unreadable address has no address", () => {
  expect(hasAddress(aCard({ addresses: ["not an address"] }), "10.0.0.2")).toBe(false);
});

test("no card has a host name", () => {
  expect(hasAddress(ETH0, "vps.example")).toBe(false);
});

test("the only card is chosen, whatever its address", () => {
  expect(choose([ETH1])).toStrictEqual({ card: ETH1, problems: [] });
});

test("the card with the MAC of the config is chosen, in capitals or small letters", () => {
  for (const mac of [ETH2.mac, ETH2.mac.toLowerCase()])
    expect(choose([ETH0, ETH1, ETH2], { mac })).toStrictEqual({ card: ETH2, problems: [] });
});

test("a MAC that no card has is refused, with the cards and the one that is in use now", () => {
  const refused = problemOf(choose([ETH1, ETH0, ETH2], { mac: "BC:24:11:00:00:09" }));
  expect(refused).toEqual({
    code: "CARD",
    message: "Unable to find the network card of vps-1: none has the MAC BC:24:11:00:00:09",
    facts: [
      "its cards:",
      "  eth1 BC:24:11:00:00:02 without an address",
      "  eth0 BC:24:11:00:00:01 203.0.113.11/24",
      "  eth2 BC:24:11:00:00:03 10.0.0.2/24 fe80::1/64",
    ],
    hint: "correct mac (BC:24:11:00:00:01 is in use now), or check that it is the right server",
    where: "nodes.vps-1.mac",
  });
});

test("a missing MAC is refused without a proposal when no card is known to be in use", () => {
  expect(problemOf(choose([ETH1], { mac: "BC:24:11:00:00:09" })).hint).toBe("correct mac");
});

test("a node that uses its only card is refused with two, and the card with the address is proposed", () => {
  expect(problemOf(choose([ETH1, ETH0]))).toEqual({
    code: "CARD",
    message: "Unable to tell which network card of vps-1 has 203.0.113.11: it has 2",
    facts: ["its cards:", "  eth1 BC:24:11:00:00:02 without an address", "  eth0 BC:24:11:00:00:01 203.0.113.11/24"],
    hint: "set it for vps-1:  mac: BC:24:11:00:00:01",
    where: "nodes.vps-1",
  });
});

test("without the address on any card, the card with the default route is proposed", () => {
  expect(problemOf(choose([ETH1, ETH2], {}, { main: "eth2" })).hint).toBe("set it for vps-1:  mac: BC:24:11:00:00:03");
  expect(problemOf(choose([ETH1, ETH2])).hint).toBe("set it for vps-1:  mac: the MAC of the connected card");
});

test("a node that uses its only card is refused when the server shows no card", () => {
  expect(problemOf(choose([]))).toMatchObject({
    message: "Unable to tell which network card of vps-1 has 203.0.113.11: it shows none",
    facts: [],
  });
});

test("a node whose card need not be known gets the card with its address, else that of the default route, else the first", () => {
  const chosen = (cards: readonly SurveyedCard[], network: Partial<SurveyedNetwork> = {}) =>
    choose(cards, { onlyCard: false }, network);
  expect(chosen([ETH1, ETH0], { main: "eth1" })).toStrictEqual({ card: ETH0, problems: [] });
  expect(chosen([ETH1, ETH2], { main: "eth2" })).toStrictEqual({ card: ETH2, problems: [] });
  expect(chosen([ETH1, ETH2])).toStrictEqual({ card: ETH1, problems: [] });
  expect(chosen([])).toStrictEqual({ problems: [] });
});
