// The table of statements: exactly its fields, each of its kind, one person throughout. Names, bodies and claims by the same rules.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkBody, falseClaim } from '../../src/wire/body.ts';
import { foldTag, isTag, mentionsOf, tagsOf } from '../../src/wire/claims.ts';
import { parseTime, printTime } from '../../src/wire/kinds.ts';
import { checkStatement, STATEMENT_TYPES, type StatementType } from '../../src/wire/statements.ts';
import { examples, makeKeys, makeWorld, plain, UUIDS, type World } from '../support/statements.ts';

const NOW = 1_800_000_000_000;
let world: World;
let all: ReturnType<typeof examples>;

beforeAll(async () => {
  world = await makeWorld(await makeKeys(NOW), NOW);
  all = examples(world);
});

const judge = (value: unknown, type?: StatementType): string => {
  const checked = checkStatement(value, type);
  return checked.ok ? 'accepted' : `${checked.reason} ${checked.detail}`.trim();
};
const changed = (type: StatementType, change: Record<string, unknown>): string => judge({ ...plain(all[type]), ...change });
const without = (type: StatementType, field: string): string => {
  const statement = plain(all[type]);
  delete statement[field];
  return judge(statement);
};

const OPTIONAL: Partial<Record<StatementType, readonly string[]>> = {
  identity: ['pinned'],
  key: ['predecessor', 'recoveryArmor'],
  'key-revocation': ['successor'],
  reed: ['replyTo', 'root', 'echoOf', 'previous', 'thread'],
  'server-key': ['predecessor'],
};

describe('every type of statement', () => {
  it('has an example that is accepted, as its type and as any', () => {
    expect(Object.keys(all).toSorted()).toEqual([...STATEMENT_TYPES].toSorted());
    for (const type of STATEMENT_TYPES) {
      expect([type, judge(all[type], type), judge(all[type])]).toEqual([type, 'accepted', 'accepted']);
      const other = STATEMENT_TYPES.find((name) => name !== type);
      expect(judge(all[type], other)).toBe('other-type type');
    }
  });

  it('refuses a field more, a field less, and null or undefined for any of its fields', () => {
    for (const type of STATEMENT_TYPES) {
      expect(changed(type, { more: 1 })).toBe('unknown-field more');
      expect(changed(type, { 'a b': 1 })).toBe('unknown-field ?');
      for (const field of Object.keys(all[type])) {
        if (['app', 'type', 'v'].includes(field)) continue;
        const optional = OPTIONAL[type]?.includes(field) === true;
        if (!optional) expect(without(type, field)).toBe(`missing-field ${field}`);
        for (const value of [null, undefined, 7.5, {}, [null], Symbol('x')]) {
          expect([type, changed(type, { [field]: value })]).toEqual([type, `wrong-field ${field}`]);
        }
      }
    }
  });

  it('refuses values that only look right', () => {
    for (const type of STATEMENT_TYPES) {
      for (const [field, value] of Object.entries(plain(all[type]))) {
        if (['app', 'type', 'v'].includes(field)) continue;
        const coerced = typeof value === 'string' ? [value] : String(value);
        expect([type, field, changed(type, { [field]: coerced })]).toEqual([type, field, `wrong-field ${field}`]);
      }
    }
  });

  it('can do without its optional fields', () => {
    const { replyTo: _r, root: _o, echoOf: _e, previous: _p, thread: _t, ...bare } = plain(all.reed);
    expect(judge(bare)).toBe('accepted');
    expect(without('identity', 'pinned')).toBe('accepted');
    expect(without('key-revocation', 'successor')).toBe('accepted');
  });

  it('is of this app, version and a known type', () => {
    expect(changed('reed', { app: 'other' })).toBe('wrong-app app');
    expect(changed('reed', { v: 2 })).toBe('unknown-version v');
    expect(changed('reed', { v: '1' })).toBe('unknown-version v');
    for (const type of ['nothing', '__proto__', 'constructor', 'toString', 7, null])
      expect(changed('reed', { type })).toBe('unknown-type type');
    for (const value of [null, 1, 'x', [], new Date(), new Map()]) expect(judge(value)).toBe('not-a-statement');
  });

  it('never makes the check throw', () => {
    const values = fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true });
    fc.assert(
      fc.property(fc.constantFrom(...STATEMENT_TYPES), fc.dictionary(fc.string(), values), (type, fields) => {
        expect(judge({ ...fields, app: 'reedbed', type, v: 1 })).not.toBe('accepted');
        expect(judge({ ...plain(all[type]), ...fields, more: 1 })).not.toBe('accepted');
      }),
    );
  });
});

describe('persons', () => {
  it('agree within a statement', () => {
    expect(changed('reed', { author: world.other })).toBe('wrong-person key');
    expect(changed('reed', { id: `${world.other}/${UUIDS[1]}` })).toBe('wrong-person id');
    expect(changed('reed', { previous: `${world.other}/${UUIDS[1]}` })).toBe('wrong-person previous');
    expect(changed('follow', { key: world.otherKey })).toBe('wrong-person key');
    expect(changed('invite', { id: `${world.other}/${UUIDS[2]}` })).toBe('wrong-person id');
    expect(changed('key', { predecessor: world.otherKey })).toBe('wrong-person predecessor');
    expect(changed('key-revocation', { successor: world.otherKey })).toBe('wrong-person successor');
    expect(changed('countersignature', { key: world.otherKey })).toBe('wrong-person key');
    expect(changed('session', { key: world.otherKey })).toBe('wrong-person key');
  });

  it('are not the sentinel of a server', () => {
    for (const sentinel of [`peer@${world.server}`, 'peer']) {
      expect(changed('follow', { target: sentinel })).toBe('wrong-field target');
      expect(changed('reed', { mentions: [sentinel] })).toBe('wrong-field mentions');
    }
  });

  it('do not follow or block themselves', () => {
    for (const type of ['follow', 'unfollow', 'block', 'unblock'] as const)
      expect(changed(type, { target: world.user })).toBe('contradiction target');
  });
});

describe('fields that contradict each other', () => {
  const mine = (at: number) => `${world.user}/${UUIDS[at]}`;

  it('of a reed', () => {
    for (const field of ['previous', 'replyTo', 'root', 'echoOf'])
      expect(changed('reed', { [field]: mine(1) })).toBe(`contradiction ${field}`);
    expect(without('reed', 'root')).toBe('contradiction root');
    expect(without('reed', 'replyTo')).toBe('contradiction root');
    expect(changed('reed', { thread: { head: mine(0), index: 0 } })).toBe('contradiction thread');
    expect(changed('reed', { thread: { head: mine(1), index: 1 } })).toBe('contradiction thread');
    expect(changed('reed', { thread: { head: `${world.other}/${UUIDS[0]}`, index: 1 } })).toBe('contradiction thread');
    expect(changed('reed', { thread: { head: mine(1), index: 0 } })).toBe('accepted');
    for (const thread of [
      { head: mine(0) },
      { head: mine(0), index: 30 },
      { head: mine(0), index: -1 },
      { head: mine(0), index: 1, more: 1 },
    ]) {
      expect(changed('reed', { thread })).toBe('wrong-field thread');
    }
  });

  it('of a thread', () => {
    expect(changed('thread', { reeds: [mine(1), mine(0)] })).toBe('contradiction id');
    expect(changed('thread', { reeds: [mine(0), `${world.other}/${UUIDS[1]}`] })).toBe('contradiction reeds');
    for (const reeds of [[mine(0)], [], [mine(0), mine(0)], new Array(31).fill(mine(0))])
      expect(changed('thread', { reeds })).toBe('wrong-field reeds');
  });

  it('of keys and servers', () => {
    expect(changed('key', { predecessor: world.key })).toBe('contradiction predecessor');
    expect(changed('key', { recoveryArmor: world.keys.recovery.publicKey.armor })).toBe('contradiction recoveryArmor');
    expect(changed('key', { recovery: world.keys.member.fingerprint })).toBe('contradiction recovery');
    expect(changed('key-revocation', { successor: world.key })).toBe('contradiction successor');
    const foreign = `${world.keys.server.fingerprint}@peerpeerpeerpeer`;
    for (const type of ['server-key', 'server-key-revocation', 'peering'] as const)
      expect(changed(type, { key: foreign })).toBe('contradiction key');
    expect(changed('server-key', { predecessor: foreign })).toBe('contradiction predecessor');
    expect(changed('peering', { to: world.server })).toBe('contradiction to');
    expect(changed('server-document', { protocol: { min: 2, max: 1 } })).toBe('contradiction protocol');
    expect(changed('server-document', { expiresAt: printTime(NOW) })).toBe('contradiction expiresAt');
  });
});

describe('limits and spellings', () => {
  it('count code points', () => {
    expect(changed('identity', { bio: '🌾'.repeat(500) })).toBe('accepted');
    expect(changed('identity', { bio: '🌾'.repeat(501) })).toBe('wrong-field bio');
    expect(changed('key-revocation', { reason: 'x'.repeat(141) })).toBe('wrong-field reason');
    expect(changed('account-removal', { note: 'x'.repeat(140) })).toBe('accepted');
    expect(changed('key', { armor: 'x'.repeat(8_193) })).toBe('wrong-field armor');
  });

  it('want NFC and well-formed text without NUL', () => {
    for (const bio of ['e\u0301', '\ud800', 'a\0b', '\u212b']) expect(changed('identity', { bio })).toBe('wrong-field bio');
  });

  it('bound lists, which hold nothing twice', () => {
    const tags = Array.from({ length: 20 }, (_, at) => `tag${at}`);
    expect(changed('reed', { tags })).toBe('accepted');
    expect(changed('reed', { tags: [...tags, 'more'] })).toBe('wrong-field tags');
    expect(changed('reed', { tags: ['a', 'a'] })).toBe('wrong-field tags');
    for (const tag of ['', 'A', '#a', 'a b', '12', 'x'.repeat(51), 'e\u0301', 'a\u200db'])
      expect([tag, changed('reed', { tags: [tag] })]).toEqual([tag, 'wrong-field tags']);
    expect(changed('reed', { mentions: [world.other, world.other] })).toBe('wrong-field mentions');
    expect(changed('reed', { tags: { length: 1, 0: 'a' } })).toBe('wrong-field tags');
  });

  it('know one spelling of a time', () => {
    expect(parseTime('2027-01-15T08:00:00.000Z')).toBe(NOW);
    for (const time of [
      '2027-01-15T08:00:00Z',
      '2027-01-15T08:00:00.000+00:00',
      '2027-01-15 08:00:00.000Z',
      '2027-1-15T08:00:00.000Z',
      '2027-02-30T08:00:00.000Z',
      '2027-01-15T24:00:00.000Z',
      '2027-01-15T08:00:60.000Z',
      '+02027-01-15T08:00:00.000Z',
      '2027-01-15T08:00:00.000Z ',
    ]) {
      expect([time, parseTime(time)]).toEqual([time, null]);
    }
  });

  it('know one spelling of hashes, nonces and origins', () => {
    for (const bodyHash of ['', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}B`, `${'A'.repeat(42)}=`])
      expect(changed('reed', { bodyHash })).toBe('wrong-field bodyHash');
    for (const nonce of ['', 'AAAA', 'A'.repeat(88), 'AAECAwQFBgcICQoLDA0ODx'])
      expect(changed('session', { nonce })).toBe('wrong-field nonce');
    for (const baseUrl of [
      'https://a.example/',
      'https://a.example/x',
      'ftp://a.example',
      'https://A.example',
      'https://u@a.example',
      'https://a.example:443',
      'javascript:1',
    ]) {
      expect([baseUrl, changed('server-document', { baseUrl })]).toEqual([baseUrl, 'wrong-field baseUrl']);
    }
    for (const device of ['x', UUIDS[0].replace('-7', '-4'), UUIDS[0].toUpperCase()])
      expect(changed('session', { device })).toBe('wrong-field device');
    expect(changed('invite', { id: 'root' })).toBe('wrong-field id');
  });
});

describe('what a text claims', () => {
  const other = 'aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb';

  it('is its tags, folded, each once, in order, twenty at most', () => {
    expect(tagsOf('#Reeds and #WATER, again #reeds. (#größe_2) #日本 #12 a#no &#no /#no ##no #')).toEqual([
      'reeds',
      'water',
      'größe_2',
      '日本',
    ]);
    expect(tagsOf('#CAFE\u0301')).toEqual(['café']);
    expect(tagsOf(Array.from({ length: 30 }, (_, at) => `#t${at}`).join(' '))).toHaveLength(20);
    expect(tagsOf(`#${'x'.repeat(51)}`)).toEqual([]);
  });

  it('is whom it mentions by full id, thirty at most', () => {
    expect(mentionsOf(`@${other} hello @${other}, (@${other.replace('a', 'c')}) x@${other} @${other}/x @@${other} @ada`)).toEqual([
      other,
      other.replace('a', 'c'),
    ]);
    expect(mentionsOf('@peer@bbbbbbbbbbbbbbbb')).toEqual([]);
    const many = Array.from(
      { length: 40 },
      (_, at) => `@${'a'.repeat(14)}${'abcdefghijklmnopqrstuvwxyz234567'[at % 32]}${at < 32 ? 'a' : 'b'}@bbbbbbbbbbbbbbbb`,
    );
    expect(mentionsOf(many.join(' '))).toHaveLength(30);
  });

  it('fits into a statement, whatever the text', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('#a', '#İ', `@${other}`, '#ß', 'ﬀ'),
    );
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const said = words.join('');
        const tags = tagsOf(said);
        expect(tags.every((tag) => isTag(tag) && foldTag(tag) === tag)).toBe(true);
        expect(changed('reed', { tags, mentions: mentionsOf(said) })).toBe('accepted');
      }),
    );
  });

  it('must be what the statement says', () => {
    const body = { text: `#one #two @${other}`, createdAt: printTime(NOW), salt: 'AAAAAAAAAAAAAAAAAAAAAA' };
    const mentions = mentionsOf(body.text);
    expect(falseClaim({ tags: ['one', 'two'], mentions }, body)).toBeNull();
    for (const tags of [['one'], ['two', 'one'], ['one', 'two', 'three'], []]) expect(falseClaim({ tags, mentions }, body)).toBe('tags');
    expect(falseClaim({ tags: ['one', 'two'], mentions: [] }, body)).toBe('mentions');
  });
});

describe('a body', () => {
  const body = { text: 'x', createdAt: printTime(NOW), salt: 'AAAAAAAAAAAAAAAAAAAAAA' };
  const reasonOf = (value: unknown): string => {
    const checked = checkBody(value);
    return checked.ok ? 'accepted' : checked.reason;
  };

  it('has its three fields and nothing else', () => {
    expect(reasonOf(body)).toBe('accepted');
    expect(reasonOf({ ...body, text: '' })).toBe('accepted');
    for (const change of [{ text: null }, { text: 'e\u0301' }, { text: '\ud800' }, { salt: 'AAAA' }, { createdAt: 'today' }, { more: 1 }]) {
      expect(reasonOf({ ...body, ...change })).toBe('malformed');
    }
    for (const value of [null, [], 'x', {}]) expect(reasonOf(value)).toBe('malformed');
  });

  it('has bounds in code points and in bytes', () => {
    expect(reasonOf({ ...body, text: '🌾'.repeat(5_000) })).toBe('accepted');
    expect(reasonOf({ ...body, text: '🌾'.repeat(5_001) })).toBe('too-long');
    expect(reasonOf({ ...body, text: 'x'.repeat(5_001) })).toBe('too-long');
  });
});
