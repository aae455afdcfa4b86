// What the web app makes of other servers: what their people are called, where links to them lead, what is said while one is away or cut off.
import { describe, expect, test } from 'vitest';
import type { PeerRef } from '../../web/src/link/community.ts';
import { placeIn, profilePath, reedPath } from '../../web/src/text/links.ts';
import { namesIn, personText, splitName, withIds, withNames } from '../../web/src/text/names.ts';
import { profileEndText } from '../../web/src/text/profiles.ts';
import { beginsSo, elsewhere, labelsOf, standsText } from '../../web/src/text/servers.ts';
import { coverageText } from '../../web/src/text/standing.ts';
import { endText, waitText } from '../../web/src/text/waiting.ts';

const HOME = 'hhhhhhhhhhhhhhhh';
const MARSH = 'mmmmmmmmmmmmmmmm';
const BEN = `bbbbbbbbbbbbbbbb@${MARSH}`;
const REED = `${BEN}/01890000-0000-7000-8000-000000000000`;
const peer: PeerRef = { server: MARSH, name: 'The Marsh', label: 'marsh.example', webUrl: 'https://marsh.example', state: 'live' };

describe('a server is called', () => {
  test('by its host, with its port where it has one', () => {
    const known = [peer, { server: 'nnnnnnnnnnnnnnnn', webUrl: 'http://127.0.0.2:8080' }];
    expect([...labelsOf(known, 'home.example').values()]).toEqual(['marsh.example', '127.0.0.2:8080']);
  });
  test('by its id where its host is another’s, one’s own, or none', () => {
    const known = [
      peer,
      { ...peer, server: 'nnnnnnnnnnnnnnnn' },
      { server: 'oooooooooooooooo', webUrl: 'https://home.example' },
      { server: 'p', webUrl: '' },
    ];
    const labels = labelsOf(known, 'home.example');
    expect([...labels.values()]).toEqual(known.map(({ server }) => server));
  });
});

test('a server is meant by how its name or its id begins, whatever the capitals', () => {
  expect(['', 'm', 'marsh.example', 'Marsh.', 'mmmm'].filter((typed) => !beginsSo(typed, peer))).toEqual([]);
  expect(['arsh', 'marsh.example2', 'heron.example', 'the marsh'].filter((typed) => beginsSo(typed, peer))).toEqual([]);
});

describe('people of other servers', () => {
  const ben = { userId: BEN, name: 'ben', server: 'marsh.example' };
  test('are called with their server', () => {
    expect(personText(ben)).toBe('ben@marsh.example');
    expect(personText({ ...ben, name: '' })).toBe('member bbbbbb…@marsh.example');
    expect(withNames(`hello @${BEN}!`, [ben])).toBe('hello @ben@marsh.example!');
  });
  test('are named in a text with their server, and the id takes the place of all of it', () => {
    const text = 'see @ben@marsh.example, @ben@127.0.0.2:8080. And @ben; not @ben@ or a@b.example';
    expect(namesIn(text)).toEqual(['ben@marsh.example', 'ben@127.0.0.2:8080', 'ben']);
    expect(withIds(text, { 'ben@marsh.example': BEN, ben: 'x' })).toBe(
      `see @${BEN}, @ben@127.0.0.2:8080. And @x; not @ben@ or a@b.example`,
    );
    expect(splitName('ben@marsh.example')).toEqual({ name: 'ben', server: 'marsh.example' });
    expect(splitName('ben')).toEqual({ name: 'ben', server: '' });
  });
});

test('a link to a reed or a profile leads to it here, whichever server it was copied from', () => {
  expect(placeIn(`https://marsh.example${profilePath(BEN)}`)).toBe(profilePath(BEN));
  expect(placeIn(` https://marsh.example${reedPath(REED)} `)).toBe(reedPath(REED));
  expect(placeIn(`@${BEN}`)).toBe(profilePath(BEN));
  for (const none of ['ben', 'https://marsh.example/', 'https://marsh.example/join#x.y.z', `https://marsh.example/pipe/${BEN}`, '%', ''])
    expect(placeIn(none)).toBeNull();
});

test('copies are counted where their author is, and told of elsewhere', () => {
  const stats = { replies: 0, echoes: 0, likes: 0, coveragePercent: 50 };
  expect(coverageText({ ...stats, holderServers: 0 })).toBe('On the devices of 50 % of the members.');
  expect(coverageText({ ...stats, holderServers: 1 }, 'marsh.example')).toContain(
    'members of marsh.example. Somebody on another server has it',
  );
  expect(coverageText({ ...stats, holderServers: 2 })).toContain('People on 2 other servers have it');
});

describe('what is elsewhere', () => {
  const around = { me: { server: HOME }, peers: [peer] };
  test('is told from what is at home, and from what was never heard of', () => {
    expect(elsewhere(REED, around)).toBe(peer);
    expect(elsewhere(`cccccccccccccccc@${HOME}`, around)).toBeNull();
    expect(elsewhere('cccccccccccccccc@nnnnnnnnnnnnnnnn', around)).toMatchObject({ label: 'nnnnnnnnnnnnnnnn', state: 'ended' });
    expect(elsewhere('no id', around)).toBeNull();
    expect(elsewhere(BEN, { ...around, me: null })).toBeNull();
  });
  test('is spoken of only while its server is away or exchanges nothing', () => {
    expect(standsText(peer)).toBeNull();
    expect(standsText({ ...peer, state: 'away' })).toContain('marsh.example is away');
    expect(standsText({ ...peer, state: 'ended' })).toContain('nothing new comes from marsh.example');
  });
  test('may be unknown for three reasons, and each is told', () => {
    const end = (state: PeerRef['state']) => profileEndText('NOT_FOUND', { relation: null, name: 'ben', from: { ...peer, state } });
    expect(end('live')).toContain('no such member on marsh.example');
    expect(end('away')).toContain('away at the moment');
    expect(end('ended')).toContain('exchanges nothing');
  });
  test('is waited for with the name of its server', () => {
    const waiting = { state: 'peer-away', onlineHolders: 0, brokenCopies: 0 } as const;
    expect(waitText(waiting, 'online', 'marsh.example').title).toBe('marsh.example is away at the moment');
    const inTurn = { ...waiting, state: 'in-turn' } as const;
    expect(waitText(inTurn, 'online', 'marsh.example').title).toBe('Asked of marsh.example, you are in turn');
    expect(waitText(inTurn, 'online').title).toBe('Someone has it; you are in turn');
    expect(endText('not-found', '', true).title).not.toBe(endText('not-found', '').title);
    expect(endText('removed', '', true)).toEqual(endText('removed', ''));
  });
});
