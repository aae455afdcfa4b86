// What members learn of each other by everything that reaches them: a requester of who holds, a holder of who asks, others of either; and
// what whoever counts bytes on the network, or reads the log, learns of all of them.
import { describe, expect, it } from 'vitest';
import { readPackets } from '../../src/crypto/packets.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { encodeFrame } from '../../src/wire/codec.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { LightStage } from '../support/light-stage.ts';
import { unarmored } from '../support/openpgp-parts.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const stage = SdkStage.forEachTest();

/** Every name under which a member is known to anybody. */
const namesOf = ({ member }: Actor): Record<string, string> => {
  const { account } = member;
  if (!account) throw new Error('not signed up');
  const [local = ''] = account.user.split('@');
  return { local, fingerprint: account.key.split('/')[1] ?? '', username: account.username, device: account.device };
};

const frames = (actor: Actor): Frame[] => actor.line.all('in');
/** Without signs of life: how many there are is up to how busy the machine is. */
const typesOf = (all: readonly Frame[]): string[] =>
  [...new Set(all.map(({ type }) => type))].filter((type) => type !== 'ping' && type !== 'pong').sort();

/** A frame as text, ciphertext and all, for whatever may stand in it as it is. */
const textOf = (all: readonly Frame[]): string => all.map((frame) => Buffer.from(encodeFrame(frame)).toString('latin1')).join('\n');
const toldOf = (actor: Actor, text: string): string[] => {
  const names = namesOf(actor);
  return Object.keys(names).filter((name) => text.toLowerCase().includes((names[name] ?? ' ').toLowerCase()));
};

/** Author, holder, reader, and somebody who has nothing to do with any of it. The author has left when the reader asks. */
async function scene(): Promise<{ author: Actor; holder: Actor; reader: Actor; other: Actor; text: string; reedId: string }> {
  const [author, holder, other] = [await stage.join(), await stage.join(), await stage.join()];
  const [reedId] = await stage.publish(author);
  if (!reedId) throw new Error('nothing published');
  await stage.keep(holder, reedId);
  await author.member.close();
  await stage.server.settle();
  const reader = await stage.join();
  const { copy } = stage.ask(reader, reedId);
  const text = await copy;
  await reader.line.seen('in', 'settled');
  await stage.server.settle();
  return { author, holder, reader, other, text, reedId };
}

describe('whoever asks', () => {
  it('learns that some holder is online, and from no frame which', async () => {
    const { author, holder, reader } = await scene();
    expect(typesOf(frames(reader))).toEqual(['dataResponse', 'hello', 'requestAck', 'settled', 'welcome']);
    expect(toldOf(holder, textOf(frames(reader)))).toEqual([]);
    // Whose reed it is stands in its id: the search does find what is there.
    expect(toldOf(author, textOf(frames(reader)))).toContain('local');
    expect(Object.keys(reader.line.frames('in', 'requestAck')[0]?.body ?? {}).sort()).toEqual([
      'onlineHolders',
      'reedId',
      'requestId',
      'state',
    ]);
  });

  it("gets a message that is signed by nobody and for nobody else, and in it the author's words alone", async () => {
    const { holder, reader, text } = await scene();
    const [delivered] = reader.line.frames('in', 'dataResponse');
    const packets = readPackets(unarmored(Buffer.from(delivered?.body.ciphertext ?? []).toString('latin1')));
    // One session key, for one reader, and one encrypted packet: no signature, no name of a sender.
    expect(packets?.map(({ tag }) => tag)).toEqual([1, 18]);
    const copies = await reader.store.list('copies');
    expect(copies).toHaveLength(1);
    expect(JSON.stringify(copies)).toContain(text);
    expect(toldOf(holder, JSON.stringify(copies))).toEqual([]);
  });
});

describe('whoever asks for what many hold', () => {
  it('is told no number above three', async () => {
    const light = new LightStage();
    await light.start();
    try {
      const [author, ...others] = await light.accounts(8);
      const [reed] = await light.community.reeds(
        author.userId,
        1,
        [author, ...others.slice(1)].map(({ userId }) => userId),
      );
      for (const account of [author, ...others.slice(1)]) await light.join(account, { answer: 'nothing' });
      const asker = await light.join(others[0] as typeof author);
      asker.request(reed as ReedId);
      const { body } = await asker.next('requestAck');
      expect(body).toMatchObject({ state: 'ASKING', onlineHolders: 3 });
      await asker.leave();
    } finally {
      await light.end();
    }
  });
});

describe('whoever holds', () => {
  it('learns which member asks, and with which key, and not on which device, under which name or how it ends', async () => {
    const { holder, reader } = await scene();
    const [asked] = holder.line.frames('in', 'relayRequest');
    expect(Object.keys(asked?.body ?? {}).sort()).toEqual(['attempt', 'deadlineMs', 'reedId', 'requesterId', 'requesterKeyId']);
    expect(toldOf(reader, textOf(frames(holder)))).toEqual(['local', 'fingerprint']);
    const after = frames(holder).slice(frames(holder).indexOf(asked as Frame) + 1);
    expect(typesOf(after)).toEqual([]);
  });
});

describe('whoever has nothing to do with it', () => {
  it('receives nothing', async () => {
    const { other } = await scene();
    expect(typesOf(frames(other))).toEqual(['hello', 'welcome']);
  });
});

describe('whoever counts bytes', () => {
  it('sees few sizes of copies, and one size of everything else', async () => {
    const [author, reader] = [await stage.join(), await stage.join()];
    // Every reed but the first names the one before it.
    await stage.publish(author);
    for (const length of [1, 15, 30, 45, 60]) {
      const { reedId, published } = await author.member.publish({ text: 'x'.repeat(length) });
      await published;
      await stage.keep(reader, reedId);
    }
    const sizes = (actor: Actor, way: 'in' | 'out', type: Frame['type']): number[] => [
      ...new Set(actor.line.frames(way, type).map((frame) => encodeFrame(frame).length)),
    ];
    expect(reader.line.frames('in', 'dataResponse')).toHaveLength(5);
    expect(sizes(reader, 'in', 'dataResponse').length).toBeLessThanOrEqual(2);
    expect(sizes(author, 'out', 'relayResponse').length).toBeLessThanOrEqual(2);
    expect(sizes(author, 'in', 'relayRequest')).toHaveLength(1);
    expect(sizes(reader, 'out', 'requestReed')).toHaveLength(1);
    expect(sizes(reader, 'out', 'dataAck')).toHaveLength(1);
    expect(sizes(author, 'out', 'publishReady')).toHaveLength(1);
    // And every one of them among the sizes that there are, whatever the text: a long one is in another.
    const { reedId, published } = await author.member.publish({ text: 'x'.repeat(4_000) });
    await published;
    await stage.keep(reader, reedId);
    expect(sizes(reader, 'in', 'dataResponse').length).toBeLessThanOrEqual(3);
    expect(sizes(reader, 'in', 'dataResponse').length).toBeGreaterThan(1);
  });
});

describe('whoever reads the log', () => {
  it('finds no member, reed, key, device, name, word or token in it, at its most talkative', async () => {
    const { author, holder, reader, reedId, text } = await scene();
    const url = `${stage.server.url}/api/v1`;
    const headers = { authorization: 'Bearer whispered-token', 'content-type': 'application/json' };
    await fetch(`${url}/reeds/${encodeURIComponent(reedId)}`, { headers });
    await fetch(`${url}/users?query=whispered-search`, { headers });
    await fetch(`${url}/users`, { method: 'POST', headers, body: '{"identity":{"statement":{"whispered":"field"}}}' });
    await fetch(`${url}/whispered-path`, { headers });
    // Its own address is the server's to tell.
    const log = stage.server.logged().replaceAll(stage.server.url, '');
    expect(log).toContain('"msg":"answered"');
    for (const actor of [author, holder, reader]) expect(toldOf(actor, log)).toEqual([]);
    for (const word of [reedId, text, 'whispered', '127.0.0.1', 'BEGIN PGP']) expect(log).not.toContain(word);
  });
});
