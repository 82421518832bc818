import type { TalosmithError } from "@talosmith/lib/errors.ts";
import { parseIp, parseNetwork, sameIp } from "@talosmith/lib/ip.ts";
import type { Survey, SurveyedCard } from "../survey.ts";
import { refusal, type TakeoverWish } from "./wish.ts";

export interface ChosenCard {
  readonly card?: SurveyedCard;
  readonly problems: readonly TalosmithError[];
}

/** Chooses the card for the node's address. With several cards the config must name one: Talos may find them in another order. */
export function chooseCard({ network }: Survey, wish: TakeoverWish): ChosenCard {
  const { cards } = network;
  const likely = cards.find((card) => hasAddress(card, wish.address)) ?? cards.find(({ name }) => name === network.main);
  if (wish.mac !== undefined) {
    const card = cards.find(({ mac }) => mac === wish.mac?.toUpperCase());
    return card === undefined ? { problems: [noSuchCard(cards, likely, wish)] } : { card, problems: [] };
  }
  if (wish.onlyCard && cards.length !== 1) return { problems: [notOne(cards, likely, wish)] };
  const card = likely ?? cards[0];
  return { ...(card !== undefined && { card }), problems: [] };
}

export function hasAddress(card: SurveyedCard, address: string): boolean {
  const wanted = parseIp(address);
  const own = card.addresses.flatMap((text) => parseNetwork(text)?.address ?? []);
  return wanted !== undefined && own.some((ip) => sameIp(ip, wanted));
}

function noSuchCard(cards: readonly SurveyedCard[], likely: SurveyedCard | undefined, wish: TakeoverWish): TalosmithError {
  return refusal("CARD", wish, {
    message: `Unable to find the network card of ${wish.name}: none has the MAC ${wish.mac}`,
    facts: listCards(cards),
    hint:
      likely === undefined ? "correct mac" : `correct mac (${likely.mac} is in use now), or check that it is the right server`,
    path: ["nodes", wish.name, "mac"],
  });
}

function notOne(cards: readonly SurveyedCard[], likely: SurveyedCard | undefined, wish: TakeoverWish): TalosmithError {
  const which = cards.length === 0 ? "it shows none" : `it has ${cards.length}`;
  return refusal("CARD", wish, {
    message: `Unable to tell which network card of ${wish.name} has ${wish.address}: ${which}`,
    facts: listCards(cards),
    hint: `set it for ${wish.name}:  mac: ${likely?.mac ?? "the MAC of the connected card"}`,
    path: ["nodes", wish.name],
  });
}

function listCards(cards: readonly SurveyedCard[]): string[] {
  if (cards.length === 0) return [];
  return [
    "its cards:",
    ...cards.map(({ name, mac, addresses }) => `  ${name} ${mac} ${addresses.join(" ") || "without an address"}`),
  ];
}
