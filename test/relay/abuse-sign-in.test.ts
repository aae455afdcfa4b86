// Identity on the socket, attacked by somebody with keys of their own: statements replayed, for another place, over another nonce, badly
// spelt; tokens past their time; revoked keys, unlinked devices, removed accounts; devices that push each other out; too many connections.
import { describe, expect, test } from 'vitest';
import { AbuseStage } from '../support/abuse-stage.ts';
import { type Claims, canonical, RawPerson, type SignedSession, uuid } from '../support/raw-person.ts';
import { type RawSocket, textOf } from '../support/raw-socket.ts';
import { CLOSE, ERROR, frame } from '../support/raw-wire.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
// The clock is moved by a day: what is under way between others must not end by that.
const DAYS_MS = 1e9;
const stage = AbuseStage.forFile(
  { dispatchDeadlineMs: DAYS_MS, acknowledgeMs: DAYS_MS, explicitLifeMs: DAYS_MS },
  { config: { signup: 'open' } },
);
const clientNonce = 'A'.repeat(22);

const greeted = async (): Promise<{ socket: RawSocket; nonce: string }> => {
  const socket = await stage.open();
  return { socket, nonce: textOf(await socket.next('hello'), 'nonce') };
};
const person = (): Promise<RawPerson> => RawPerson.signUp(stage.server.url);
/** Two who only try to get in. */
let strangers: Promise<[RawPerson, RawPerson]> | null = null;
const stranger = async (): Promise<[RawPerson, RawPerson]> => {
  strangers ??= Promise.all([person(), person()]);
  return strangers;
};
const refused = async (socket: RawSocket, { statement, signature }: SignedSession): Promise<void> => {
  socket.send('authenticate', { statement, signature, clientNonce });
  expect((await socket.next('error')).body['code']).toBe(ERROR.unauthenticated);
};
const refusedToken = async (token: string): Promise<void> => {
  const { socket } = await greeted();
  socket.authenticate(token);
  expect((await socket.next('error')).body['code']).toBe(ERROR.unauthenticated);
};
const signsIn = async (who: RawPerson): Promise<RawSocket> => {
  const { socket, nonce } = await greeted();
  socket.send('authenticate', { ...(await who.signedSession({ nonce })), clientNonce });
  await socket.next('welcome');
  return socket;
};
const online = async (user: string): Promise<number> =>
  (await stage.community.rows('select from online_connections where user_id = $1', [user])).length;

describe('a session statement', () => {
  test('signs in once; replayed on the next socket it opens nothing, whoever sends it', async () => {
    const who = await person();
    const { socket, nonce } = await greeted();
    const signed = await who.signedSession({ nonce });
    socket.send('authenticate', { ...signed, clientNonce });
    await socket.next('welcome');
    await refused((await greeted()).socket, signed);
    expect(await online(who.user)).toBe(1);
  });

  test('taken from a socket that never used it opens no other one', async () => {
    const who = await person();
    const signed = await who.signedSession({ nonce: (await greeted()).nonce });
    await refused((await greeted()).socket, signed);
  });

  test('of a socket whose time is over can be used nowhere', async () => {
    const who = await person();
    const { socket, nonce } = await greeted();
    const signed = await who.signedSession({ nonce });
    stage.clock.wind(10_500);
    expect((await socket.closed).code).toBe(CLOSE.authenticationTimeout);
    await refused((await greeted()).socket, signed);
  });

  test.each<[string, (who: RawPerson) => Promise<Claims> | Claims]>([
    ['for another server', () => ({ server: 'aaaaaaaaaaaaaaaa' })],
    ['for a token', () => ({ purpose: 'token' })],
    ['for a sign-up', () => ({ purpose: 'signup' })],
    ['for linking a device', () => ({ purpose: 'link-device' })],
    ['for a recovery', () => ({ purpose: 'recover' })],
    ['over a nonce of the HTTP API', async (who) => ({ nonce: await who.challenge() })],
    ['over no nonce', () => ({ nonce: '' })],
    ['of another version', () => ({ v: 2 })],
    ['of another app', () => ({ app: 'other' })],
    ['of another type', () => ({ type: 'welcome' })],
    ['of a device that is not linked', () => ({ device: uuid() })],
    ['of a member of another server', (who) => ({ user: who.user.replace(/@.*/, '@aaaaaaaaaaaaaaaa') })],
    ['with a field more', () => ({ admin: true })],
    ['with a number for a text', () => ({ nonce: 7 })],
    ['with a list for a text', () => ({ nonce: [] })],
    ['nested six levels', () => ({ nonce: { a: { b: { c: { d: { e: 'f' } } } } } })],
    ['under the id of somebody else', () => ({ user: stage.honest.author.userId })],
  ])('%s opens nothing, though it is signed', async (_what, claims) => {
    const [who] = await stranger();
    const { socket, nonce } = await greeted();
    await refused(socket, await who.signedSession({ nonce, ...(await claims(who)) }));
    expect(await online(who.user)).toBe(0);
  });

  test.each<[string, (text: string) => Buffer]>([
    ['with a space', (text) => Buffer.from(text.replace(',', ', '))],
    [
      'with its names in another order',
      (text) => Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()))),
    ],
    ['with a name twice', (text) => Buffer.from(text.replace('{', '{"app":"reedbed",'))],
    ['with an escape that need not be', (text) => Buffer.from(text.replace('"reedbed"', '"\\u0072eedbed"'))],
    ['with null', (text) => Buffer.from(text.replace('"v":1', '"v":1,"w":null'))],
    ['with 1.0 for 1', (text) => Buffer.from(text.replace('"v":1', '"v":1.0'))],
    ['that is no UTF-8', (text) => Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff]), Buffer.from('"}')])],
    ['with half a surrogate pair', (text) => Buffer.from(text.replace('"reedbed"', '"\\ud800"'))],
    ['cut', (text) => Buffer.from(text.slice(0, -1))],
    ['with something behind it', (text) => Buffer.from(`${text}{}`)],
    ['in 5,000 levels', () => Buffer.from(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)],
    ['of __proto__', (text) => Buffer.from(text.replace('{', '{"__proto__":{"role":"root"},'))],
  ])('spelt %s opens nothing, though its bytes are signed', async (_what, spell) => {
    const [who] = await stranger();
    const { socket, nonce } = await greeted();
    const statement = spell(canonical(who.session({ nonce })));
    await refused(socket, { statement, signature: await who.sign(statement) });
  });

  test.each<[string, (who: RawPerson, other: RawPerson, bytes: Buffer) => Promise<string>]>([
    ['by somebody else', (_who, other, bytes) => other.sign(bytes)],
    ['over other bytes', (who) => who.sign(Buffer.from('{}'))],
    ['by nobody', async () => ''],
    ['twice', async (who, _other, bytes) => `${await who.sign(bytes)}\n${await who.sign(bytes)}`],
    ['with NUL behind it', async (who, _other, bytes) => `${await who.sign(bytes)}\0`],
    ['in 16 KiB of armor', async () => `-----BEGIN PGP SIGNATURE-----\n\n${'A'.repeat(12_000)}\n-----END PGP SIGNATURE-----\n`],
  ])('signed %s opens nothing', async (_what, sign) => {
    const [who, other] = await stranger();
    const { socket, nonce } = await greeted();
    const statement = Buffer.from(canonical(who.session({ nonce })));
    await refused(socket, { statement, signature: await sign(who, other, statement) });
  });

  test('that fails three times closes', async () => {
    const { socket } = await greeted();
    for (let at = 0; at < 3; at += 1) {
      socket.authenticate('x');
      expect((await socket.next('error')).body['code']).toBe(ERROR.unauthenticated);
    }
    expect((await socket.closed).code).toBe(CLOSE.unauthenticated);
  });

  test('sent beside a second one before the first is answered closes, and leaves nobody present', async () => {
    const who = await person();
    const { socket, nonce } = await greeted();
    const signed = { ...(await who.signedSession({ nonce })), clientNonce };
    socket.send('authenticate', signed);
    socket.send('authenticate', signed);
    expect((await socket.closed).code).toBe(CLOSE.unexpected);
    await stage.server.settle();
    expect(await online(who.user)).toBe(0);
  });
});

describe('a token', () => {
  test('in use all the time ends 24 hours after it was given, and the next one works', async () => {
    const who = await person();
    const token = await who.token();
    const start = stage.clock.now();
    while (stage.clock.now() < start + 24 * HOUR_MS - 50 * MINUTE_MS) {
      stage.clock.move(45 * MINUTE_MS);
      await (await stage.signIn({ token })).leave();
    }
    stage.clock.move(start + 24 * HOUR_MS - stage.clock.now());
    await refusedToken(token);
    await (await stage.signIn({ token: await who.token() })).leave();
  });

  test('unused for an hour ends', async () => {
    const token = await (await person()).token();
    stage.clock.move(HOUR_MS);
    await refusedToken(token);
  });

  test.each(['', ' ', 'x'.repeat(10_000), '\0', "' or true --", '../../token', 'A'.repeat(43)])(
    'that is none opens nothing: %j',
    async (token) => {
      const { socket } = await greeted();
      socket.authenticate(token);
      expect([ERROR.unauthenticated, ERROR.badRequest]).toContain((await socket.next('error')).body['code']);
    },
  );

  test('beside a statement, or with a client nonce that is none, is refused and can be sent again', async () => {
    const who = await person();
    const token = await who.token();
    const { socket, nonce } = await greeted();
    socket.send('authenticate', { ...(await who.signedSession({ nonce })), clientNonce, token });
    expect((await socket.next('error')).body['code']).toBe(ERROR.badRequest);
    socket.send('authenticate', { clientNonce: '!', token });
    expect((await socket.next('error')).body['code']).toBe(ERROR.badRequest);
    socket.authenticate(token);
    await socket.next('welcome');
  });
});

describe('somebody who is out', () => {
  const outOf = async (who: RawPerson, token: string): Promise<void> => {
    await refusedToken(token);
    const { socket, nonce } = await greeted();
    await refused(socket, await who.signedSession({ nonce }));
    expect(await online(who.user)).toBe(0);
  };

  test('by a revoked key gets in with neither token nor statement', async () => {
    const who = await person();
    const token = await who.token();
    const revoke = 'insert into key_revocations (key_id, statement_hash, seq) select id, statement_hash, 9 from keys where id = $1';
    await stage.community.rows(revoke, [who.key]);
    await outOf(who, token);
  });

  test('by a removed account gets in with neither', async () => {
    const who = await person();
    const token = await who.token();
    await stage.community.rows(`insert into account_removals (user_id, statement, due_at) values ($1, '{}', 'infinity')`, [who.user]);
    await outOf(who, token);
  });

  test('by another device gets in with neither, and its sockets close', async () => {
    const who = await person();
    const token = await who.token();
    const first = who.device;
    const sockets = [await stage.signIn({ token }), await signsIn(who)];
    await who.link();
    for (const socket of sockets) expect((await socket.closed).code).toBe(CLOSE.replaced);
    who.device = first;
    await stage.server.settle();
    await outOf(who, token);
  });
});

describe('devices of one member', () => {
  test('that push each other out, again and again, leave one at a time and no presence behind', async () => {
    const who = await person();
    const devices = [who.device, uuid()];
    let last = await signsIn(who);
    for (let turn = 1; turn <= 10; turn += 1) {
      const token = await who.link(devices[turn % 2]);
      expect((await last.closed).code).toBe(CLOSE.replaced);
      last = turn % 3 === 0 ? await signsIn(who) : await stage.signIn({ token });
    }
    await stage.server.settle();
    expect(await online(who.user)).toBe(1);
    expect(await stage.community.rows('select from devices where user_id = $1 and unlinked_at is null', [who.user])).toHaveLength(1);
  });

  test('signing in while another one is linked end closed or refused, never both present', async () => {
    const who = await person();
    for (let round = 0; round < 5; round += 1) {
      const { socket, nonce } = await greeted();
      const signed = await who.signedSession({ nonce });
      socket.send('authenticate', { ...signed, clientNonce });
      const token = await who.link();
      const answered = await Promise.race([socket.next('error').then(({ body }) => body['code']), socket.closed.then(({ code }) => code)]);
      expect([ERROR.unauthenticated, CLOSE.replaced]).toContain(answered);
      await (await stage.signIn({ token })).leave();
    }
  });
});

describe('connections of one member', () => {
  test('are ten; an eleventh is closed with its code, the ten go on', async () => {
    const token = await (await person()).token();
    const sockets: RawSocket[] = [];
    for (let at = 0; at < 10; at += 1) sockets.push(await stage.signIn({ token }));
    for (let at = 0; at < 5; at += 1) {
      const { socket } = await greeted();
      socket.authenticate(token);
      expect((await socket.closed).code).toBe(CLOSE.tooManyConnections);
    }
    for (const socket of sockets) expect(await socket.echo()).toBe(null);
  });

  test('opened forty at once are never more than ten, and there is room again when they are gone', async () => {
    const who = await person();
    const token = await who.token();
    const all = await Promise.all(Array.from({ length: 40 }, async () => (await greeted()).socket));
    for (const socket of all) socket.authenticate(token);
    const welcomed = await Promise.all(
      all.map((socket) =>
        socket.next('welcome').then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(welcomed.filter(Boolean).length).toBeLessThanOrEqual(10);
    await Promise.all(all.map((socket) => socket.leave()));
    await stage.server.settle();
    expect(await online(who.user)).toBe(0);
    await stage.signIn({ token });
  });

  test('that come and go a hundred times leave nothing behind', async () => {
    const who = await person();
    const token = await who.token();
    const text = frame('authenticate', { clientNonce, token });
    for (let at = 0; at < 100; at += 1) {
      const { socket } = await greeted();
      socket.message(text);
      if (at % 3 === 0) await socket.next('welcome');
      if (at % 3 === 1) socket.stream.end();
      socket.vanish();
      await socket.closed;
    }
    await stage.server.settle();
    expect(await online(who.user)).toBe(0);
  });
});
