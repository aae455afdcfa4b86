// Sessions: challenges once and in time, statements for one server, purpose and nonce, tokens that end, one active device.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { makeWorld, type Person, signInBody, signUp, socketSignIn, type World } from '../support/people.ts';
import { removalOf, revocationOf, rotate } from '../support/rotations.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: World;
let ann: Person & { token: string };
beforeAll(async () => {
  world = await makeWorld();
  ann = await signUp(world, { username: 'ann' });
});
afterAll(() => world.close());
afterEach(() => world.ended.splice(0));

const code = (value: string) => expect.objectContaining({ code: value });
const HELLO = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

describe('a token', () => {
  test('names member, key and device', async () => {
    const { token } = await world.identity.sessions.signIn(await signInBody(world, ann));
    expect(await world.identity.sessions.authenticateToken(token)).toEqual({
      userId: ann.user,
      keyId: ann.keyId,
      deviceId: ann.device,
      role: 'user',
    });
  });

  test('is stored hashed', async () => {
    const { token } = await world.identity.sessions.signIn(await signInBody(world, ann));
    const rows = await world.db.query<{ text: string }>({ text: 'select s::text as text from sessions s' });
    expect(rows.some(({ text }) => text.includes(token) || text.includes(Buffer.from(token, 'base64url').toString('hex')))).toBe(false);
  });

  test('ends an hour after its last use', async () => {
    const { token } = await world.identity.sessions.signIn(await signInBody(world, ann));
    world.clock.advance(HOUR - 1);
    expect(await world.identity.sessions.authenticateToken(token)).not.toBeNull();
    world.clock.advance(HOUR - 1);
    expect(await world.identity.sessions.authenticateToken(token)).not.toBeNull();
    world.clock.advance(HOUR);
    expect(await world.identity.sessions.authenticateToken(token)).toBeNull();
  });

  test('in use ends a day after its signature', async () => {
    const { token } = await world.identity.sessions.signIn(await signInBody(world, ann));
    for (let half = 0; half < 47; half++) {
      world.clock.advance(HOUR / 2);
      expect(await world.identity.sessions.authenticateToken(token)).not.toBeNull();
    }
    world.clock.advance(HOUR / 2);
    expect(await world.identity.sessions.authenticateToken(token)).toBeNull();
  });

  test('writes its use once a minute', async () => {
    const { token } = await world.identity.sessions.signIn(await signInBody(world, ann));
    const before = world.db.statements;
    await world.identity.sessions.authenticateToken(token);
    world.clock.advance(MINUTE - 1);
    await world.identity.sessions.authenticateToken(token);
    expect(world.db.statements - before).toBe(2);
    world.clock.advance(1);
    await world.identity.sessions.authenticateToken(token);
    expect(world.db.statements - before).toBe(4);
  });

  test('ends by sign-out', async () => {
    const { token } = await world.identity.sessions.signIn(await signInBody(world, ann));
    await world.identity.sessions.signOut(token);
    expect(await world.identity.sessions.authenticateToken(token)).toBeNull();
  });

  test.each(['', 'x', 'A'.repeat(43), "' or true --"])('that is none of ours is nobody: %j', async (token) => {
    expect(await world.identity.sessions.authenticateToken(token)).toBeNull();
  });

  test('of a revoked key ends at once, and the key signs nobody in', async () => {
    const bob = await signUp(world);
    await world.db.query({
      text: `insert into key_revocations (key_id, statement_hash, seq) select $1, statement_hash, 9 from keys where id = $1`,
      values: [bob.keyId],
    });
    expect(await world.identity.sessions.authenticateToken(bob.token)).toBeNull();
    await expect(world.identity.sessions.signIn(await signInBody(world, bob))).rejects.toThrow(code('KEY_REVOKED'));
    expect(await world.identity.sessions.authenticateStatement(await socketSignIn(world, bob, HELLO), HELLO)).toMatchObject({
      reason: 'key-revoked',
    });
  });

  test('of a removed account ends at once', async () => {
    const bob = await signUp(world);
    await world.db.query({
      text: `insert into account_removals (user_id, statement, due_at) values ($1, '{}', now())`,
      values: [bob.user],
    });
    expect(await world.identity.sessions.authenticateToken(bob.token)).toBeNull();
    await expect(world.identity.sessions.signIn(await signInBody(world, bob))).rejects.toThrow(code('UNAUTHENTICATED'));
  });

  test('beyond the most of a member ends the oldest', async () => {
    const bob = await signUp(world);
    for (let count = 0; count < world.limits.sessionsPerMember; count++) {
      world.clock.advance(1);
      await world.identity.sessions.signIn(await signInBody(world, bob));
    }
    expect(await world.identity.sessions.authenticateToken(bob.token)).toBeNull();
  });
});

describe('of those who are signed in', () => {
  test('it is told who may be so no more, whatever ended it', async () => {
    const sign = () => signUp(world);
    const people = [await sign(), await sign(), await sign(), await sign(), await sign(), await sign()] as const;
    const [fine, rotated, revoked, voided, leaving, unlinked] = people;
    expect(await world.identity.sessions.endedOf(people.map(({ member }) => member))).toEqual(people.map(() => null));
    const { next } = await rotate(world, rotated);
    await world.identity.rotation.revoke(revoked.keyId, await revocationOf(world, revoked));
    const { next: stolen } = await rotate(world, voided);
    await rotate(world, voided, 'recovery');
    await world.identity.accountRemovals.request(leaving.member, await removalOf(world, leaving));
    await world.db.query({ text: 'update devices set unlinked_at = now() where id = $1', values: [unlinked.device] });
    const nobody = { ...fine.member, keyId: `${fine.user}/${'0'.repeat(40)}` as Person['keyId'] };
    const asked = [...people, next, stolen].map(({ member }) => member);
    const ended = 'ended';
    expect(await world.identity.sessions.endedOf([...asked, nobody])).toEqual([
      null,
      ended,
      ended,
      ended,
      ended,
      'replaced',
      null,
      ended,
      ended,
    ]);
    expect(await world.identity.sessions.endedOf([])).toEqual([]);
  });
});

describe('many tokens at once', () => {
  test('are looked up together, and each gets its own answer', async () => {
    const [fine, revoked, removed, unlinked, old, again] = await Promise.all(Array.from({ length: 6 }, () => signUp(world)));
    if (!fine || !revoked || !removed || !unlinked || !old || !again) throw new Error('nobody signed up');
    const run = (text: string, value: string) => world.db.query({ text, values: [value] });
    await run(
      'insert into key_revocations (key_id, statement_hash, seq) select $1, statement_hash, 9 from keys where id = $1',
      revoked.keyId,
    );
    await run(`insert into account_removals (user_id, statement, due_at) values ($1, '{}', now())`, removed.user);
    await run('update devices set unlinked_at = now() where id = $1', unlinked.device);
    await run(`update sessions set signed_at = signed_at - interval '1 day' where user_id = $1`, old.user);
    const asked = [fine, revoked, removed, unlinked, old, again, { ...fine, token: 'A'.repeat(43) }, { ...fine, token: 'none' }, fine];
    const before = world.db.statements;
    const answers = await Promise.all(asked.map(({ token }) => world.identity.sessions.authenticateToken(token)));
    expect(answers.map((member) => member?.userId)).toEqual([
      fine.user,
      ...[undefined, undefined, undefined, undefined],
      again.user,
      ...[undefined, undefined],
      fine.user,
    ]);
    expect(world.db.statements - before).toBe(1);
  });

  test('cost a statement for each full batch, and one more where uses are written', async () => {
    const { token } = await signUp(world);
    const strangers = Array.from({ length: 2 * world.limits.batchItems }, () => Buffer.from(cryptoRandom(32)).toString('base64url'));
    world.clock.advance(MINUTE);
    const before = world.db.statements;
    const answers = await Promise.all([token, ...strangers].map((given) => world.identity.sessions.authenticateToken(given)));
    expect(answers.filter((member) => member !== null)).toHaveLength(1);
    expect(world.db.statements - before).toBe(4);
  });
});

describe('a session statement for a token', () => {
  const refused = async (body: { statement: unknown; signature: string }): Promise<void> => {
    await expect(world.identity.sessions.signIn(body)).rejects.toThrow(code('UNAUTHENTICATED'));
  };

  test('works once', async () => {
    const body = await signInBody(world, ann);
    await world.identity.sessions.signIn(body);
    await refused(body);
  });
  test('works once when tried twice at once', async () => {
    const body = await signInBody(world, ann);
    const tries = await Promise.allSettled([world.identity.sessions.signIn(body), world.identity.sessions.signIn(body)]);
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
  test('is refused after its nonce ended', async () => {
    const body = await signInBody(world, ann);
    world.clock.advance(world.limits.challengeMs);
    await refused(body);
  });
  test('is refused for another server', async () => refused(await signInBody(world, ann, { server: 'aaaaaaaaaaaaaaaa' as never })));
  test.each(['signup', 'socket', 'link-device', 'recover'] as const)('is refused with purpose %s', async (purpose) =>
    refused(await signInBody(world, ann, { purpose })),
  );
  test('is refused over a nonce that is not ours', async () =>
    refused(await signInBody(world, ann, { nonce: Buffer.alloc(38, 7).toString('base64url') })));
  test('is refused over a nonce of the right form with another time', async () => {
    const { nonce } = await world.identity.challenges.make();
    const bytes = Buffer.from(nonce, 'base64url');
    bytes[3] = (bytes[3] ?? 0) ^ 1;
    await refused(await signInBody(world, ann, { nonce: bytes.toString('base64url') }));
  });
  test('is refused when signed by another member', async () => {
    const bob = await signUp(world);
    const { statement } = await signInBody(world, ann);
    await refused({ statement, signature: (await signInBody(world, bob, { nonce: statement.nonce })).signature });
  });
  test('is refused when anything of it was changed', async () => {
    const { statement, signature } = await signInBody(world, ann);
    await refused({ statement: { ...statement, device: uuidv7(world.clock.now(), cryptoRandom) }, signature });
  });
  test.each([null, 7, 'text', [], {}])('is refused when it is none: %j', async (statement) => refused({ statement, signature: '' }));
  test('from a device that is not linked is refused by name', async () => {
    const elsewhere = { ...ann, device: uuidv7(world.clock.now(), cryptoRandom) };
    await expect(world.identity.sessions.signIn(await signInBody(world, elsewhere))).rejects.toThrow(code('FORBIDDEN'));
  });
  test('is void once the ledger was emptied', async () => {
    const body = await signInBody(world, ann);
    await world.db.query({ text: 'update ledger_epoch set epoch = gen_random_uuid()' });
    await refused(body);
  });
});

describe('a socket statement', () => {
  test('signs in over its own nonce', async () => {
    const signedIn = await world.identity.sessions.authenticateStatement(await socketSignIn(world, ann, HELLO), HELLO);
    expect(signedIn).toMatchObject({ ok: true, value: { userId: ann.user, deviceId: ann.device, token: expect.any(String) } });
  });
  test('is refused on another connection', async () => {
    const input = await socketSignIn(world, ann, HELLO);
    expect(await world.identity.sessions.authenticateStatement(input, 'BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')).toMatchObject({
      ok: false,
      reason: 'unauthenticated',
    });
  });
  test('must be the canonical bytes', async () => {
    const input = await socketSignIn(world, ann, HELLO);
    const spaced = new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(input.statement)), null, 1));
    expect(await world.identity.sessions.authenticateStatement({ ...input, statement: spaced }, HELLO)).toMatchObject({ ok: false });
    expect(await world.identity.sessions.authenticateStatement({ ...input, statement: new Uint8Array([0xff, 0x7b]) }, HELLO)).toMatchObject(
      { ok: false },
    );
  });
  test('of purpose token is refused, even over the right nonce', async () => {
    const { statement, signature } = await signInBody(world, ann, { purpose: 'token', nonce: HELLO });
    const input = { statement: new TextEncoder().encode(JSON.stringify(statement, Object.keys(statement).sort())), signature };
    expect(await world.identity.sessions.authenticateStatement(input, HELLO)).toMatchObject({
      ok: false,
      reason: 'unauthenticated',
      detail: 'purpose: not socket',
    });
  });
});

describe('linking a device', () => {
  test('unlinks the first, ends its sessions and tells of it after the commit', async () => {
    const bob = await signUp(world);
    const second = { ...bob, device: uuidv7(world.clock.now(), cryptoRandom) };
    const { token } = await world.identity.devices.link(await signInBody(world, second, { purpose: 'link-device' }));
    expect(await world.identity.sessions.authenticateToken(bob.token)).toBeNull();
    expect(await world.identity.sessions.authenticateToken(token)).toMatchObject({ deviceId: second.device });
    expect(world.ended).toEqual([{ user: bob.user, deviceId: bob.device, reason: 'replaced' }]);
    const devices = await world.identity.devices.list(bob.user);
    expect(devices.map(({ id, unlinkedAt }) => [id, unlinkedAt === null])).toEqual([
      [second.device, true],
      [bob.device, false],
    ]);
    await expect(world.identity.sessions.signIn(await signInBody(world, bob))).rejects.toThrow(code('FORBIDDEN'));
  });

  test('back again works, and the same again changes nothing', async () => {
    const bob = await signUp(world);
    const second = { ...bob, device: uuidv7(world.clock.now(), cryptoRandom) };
    await world.identity.devices.link(await signInBody(world, second, { purpose: 'link-device' }));
    await world.identity.devices.link(await signInBody(world, bob, { purpose: 'link-device' }));
    world.ended.splice(0);
    const { token } = await world.identity.devices.link(await signInBody(world, bob, { purpose: 'link-device' }));
    expect(world.ended).toEqual([]);
    expect(await world.identity.sessions.authenticateToken(token)).toMatchObject({ deviceId: bob.device });
  });

  test('two at once leaves one active', async () => {
    const bob = await signUp(world);
    const others = [1, 2, 3].map(() => ({ ...bob, device: uuidv7(world.clock.now(), cryptoRandom) }));
    const bodies = await Promise.all(others.map((other) => signInBody(world, other, { purpose: 'link-device' })));
    await Promise.all(bodies.map((body) => world.identity.devices.link(body)));
    const devices = await world.identity.devices.list(bob.user);
    expect(devices.filter(({ unlinkedAt }) => unlinkedAt === null)).toHaveLength(1);
    const sessions = await world.db.query<{ device_id: string }>({
      text: 'select device_id from sessions where user_id = $1',
      values: [bob.user],
    });
    expect(sessions).toEqual([{ device_id: devices[0]?.id }]);
  });
});
