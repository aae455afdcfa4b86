// What the web app makes of texts and lists of the community: names for ids, links in texts, lists that do not move while they are read.
import { describe, expect, test } from 'vitest';
import type { CopyView } from '../../web/src/link/community.ts';
import { merge, shownNow } from '../../web/src/state/merge.ts';
import { pipePath, profilePath, reedPath } from '../../web/src/text/links.ts';
import { nameBefore, namesIn, pickedName, withIds, withNames } from '../../web/src/text/names.ts';
import { profileEndText, roleText } from '../../web/src/text/profiles.ts';
import { routeOf } from '../../web/src/text/routes.ts';
import { segmentsOf } from '../../web/src/text/segments.ts';
import { stoneText } from '../../web/src/text/stones.ts';

const BEN = 'bbbbbbbbbbbbbbbb@ssssssssssssssss';
const REED = `${BEN}/01890000-0000-7000-8000-000000000000`;

describe('names', () => {
  test('are read as they are written, without what stands around them', () => {
    expect(namesIn('@ben, (@Zoë.of-reeds). and @ben again; not me@mail.example, not @@x')).toEqual(['ben', 'Zoë.of-reeds']);
  });
  test('become ids where they belong to somebody, and stay otherwise', () => {
    expect(withIds('@ben and @bene and @nobody.', { ben: BEN, bene: null })).toBe(`@${BEN} and @bene and @nobody.`);
  });
  test('an id that is written out stays one', () => {
    expect(namesIn(`see @${BEN}`)).toEqual([]);
    expect(withIds(`see @${BEN}`, { bbbbbbbbbbbbbbbb: 'x@y' })).toBe(`see @${BEN}`);
  });
  test('stand for ids where no link can', () => {
    expect(withNames(`hello @${BEN}!`, [{ userId: BEN, name: 'ben', server: '' }])).toBe('hello @ben!');
    expect(withNames(`hello @${BEN}!`, [{ userId: BEN, name: '', server: '' }])).toBe('hello @member bbbbbb…!');
  });
  test('the one that is being typed is the last, if nothing follows it', () => {
    expect(nameBefore('hello @be')).toBe('be');
    expect(nameBefore('hello @be ')).toBeNull();
    expect(nameBefore('a@be')).toBeNull();
  });
  test.each([
    ['hello @be|', 'hello @ben |'],
    ['hello @be|, all', 'hello @ben |, all'],
    ['hello @be| all', 'hello @ben |all'],
    ['hello @b|enja all', 'hello @ben |all'],
    ['see @b|. And', 'see @ben |. And'],
  ])('that is picked takes the place of what is typed of it: %s', (typed, then) => {
    const picked = pickedName(typed.replace('|', ''), typed.indexOf('|'), 'ben');
    expect(`${picked.text.slice(0, picked.at)}|${picked.text.slice(picked.at)}`).toBe(then);
  });
});

describe('a text', () => {
  test('is cut into tags, people, addresses and the rest, and loses nothing', () => {
    const text = `Look, #Birds! @${BEN}: https://example.org/a(b)?c=d#e. #1 a#b <b>x</b>`;
    const segments = segmentsOf(text);
    expect(segments.filter(({ kind }) => kind !== 'text')).toEqual([
      { kind: 'tag', text: '#Birds', tag: 'birds' },
      { kind: 'person', userId: BEN },
      { kind: 'address', text: 'https://example.org/a(b)?c=d#e' },
    ]);
    expect(segments.map((segment) => (segment.kind === 'person' ? `@${segment.userId}` : segment.text)).join('')).toBe(text);
  });
  test('with a script address has no link to it', () => {
    expect(segmentsOf('javascript:alert(1) data:text/html,x')).toEqual([{ kind: 'text', text: 'javascript:alert(1) data:text/html,x' }]);
  });
});

describe('an address of the app', () => {
  test.each([
    ['/', { page: 'home' }],
    ['/broadcast/', { page: 'broadcast' }],
    [pipePath('übung'), { page: 'pipe', tag: 'übung' }],
    [profilePath(BEN), { page: 'profile', userId: BEN }],
    [`${profilePath(BEN)}/followers`, { page: 'followers', userId: BEN }],
    [`/profile/${BEN}/following`, { page: 'following', userId: BEN }],
    [reedPath(REED), { page: 'reed', reedId: REED }],
    [`/reed/${REED}`, { page: 'reed', reedId: REED }],
    ['/toString', { page: 'unknown' }],
    ['/pipe/', { page: 'unknown' }],
  ])('%s leads to its page', (path, route) => {
    expect(routeOf(path)).toEqual(route);
  });
});

const copy = (reedId: string, at: number, more: Partial<CopyView> = {}): CopyView =>
  ({ reedId, own: false, createdAt: '', countersignedAt: `2026-01-01T00:00:${String(at).padStart(2, '0')}.000Z`, ...more }) as CopyView;
const [a, b, c, d] = [copy('a', 9), copy('b', 8), copy('c', 7), copy('d', 6)];

describe('a list that is being read', () => {
  const { rows } = shownNow([b, c]);
  const ids = (merged: { readonly rows: readonly { copy: CopyView; gone: boolean }[] }) =>
    merged.rows.map((row) => (row.gone ? `(${row.copy.reedId})` : row.copy.reedId));

  test('counts what others wrote meanwhile and does not move', () => {
    const merged = merge(rows, { shown: [a, b, c], more: false });
    expect([ids(merged), merged.fresh]).toEqual([['b', 'c'], 1]);
  });
  test('takes one’s own at once, and older ones below', () => {
    const mine = copy('a', 9, { own: true });
    const merged = merge(rows, { shown: [mine, b, c, d], more: false });
    expect([ids(merged), merged.fresh]).toEqual([['a', 'b', 'c', 'd'], 0]);
  });
  test('counts one’s own answers, which are written in the middle of it', () => {
    const answers = [{ replyTo: { reedId: 'c' } }, { echoOf: { reedId: 'c' } }].map((answered, at) =>
      copy(`mine-${at}`, 9, { own: true, ...answered } as unknown as Partial<CopyView>),
    );
    const merged = merge(rows, { shown: [...answers, b, c], more: false });
    expect([ids(merged), merged.fresh]).toEqual([['b', 'c'], 2]);
  });
  test('keeps the place of what is gone, the last one too', () => {
    expect(ids(merge(rows, { shown: [c], more: false }))).toEqual(['(b)', 'c']);
    expect(ids(merge(rows, { shown: [b], more: false }))).toEqual(['b', '(c)']);
  });
  test('does not take for gone what newer ones pushed off the end', () => {
    expect(ids(merge(rows, { shown: [a, b], more: true }))).toEqual(['b', 'c']);
  });
  test('that is empty shows everything', () => {
    expect(ids(merge([], { shown: [a, b], more: false }))).toEqual(['a', 'b']);
  });
});

test('a role is told by what it means, and that of everybody is not told', () => {
  expect(roleText('user')).toBe('');
  expect(roleText('root')).toContain('runs this server');
});

test('each kind of removal is told in words of its own, to its author too', () => {
  const titles = (['reed', 'thread', 'account'] as const).flatMap((kind) => [true, false].map((own) => stoneText({ kind, own }).title));
  expect(new Set(titles).size).toBe(titles.length);
});

test('a profile that can’t be shown says who blocked whom, and that an account is gone', () => {
  const nothing = { name: 'ben', server: '', follows: false, blocks: false, blocksMe: false };
  const end = (code: string, relation = nothing) => profileEndText(code, { relation, name: 'ben', from: null });
  expect(end('')).toBeNull();
  expect(end('BLOCKED', { ...nothing, blocks: true })).toContain('You have blocked ben');
  expect(end('BLOCKED')).toContain('has blocked you');
  expect(end('REMOVED')).toContain('removed their account');
});
