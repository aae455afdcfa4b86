// A session statement opens the socket whose HELLO it answers, once. Real keys and statements, the server's own sessions.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FrameBodies } from '../../src/wire/frames.ts';
import { createGatewayWorld, type GatewayWorld, type RawClient } from '../support/gateway-world.ts';
import { makeWorld, type Person, signUp, socketSignIn, type World } from '../support/people.ts';
import { createPresenceWorld, type PresenceWorld } from '../support/presence-world.ts';

let people: World;
let presence: PresenceWorld;
let world: GatewayWorld;
let ann: Person;

beforeAll(async () => {
  people = await makeWorld();
  presence = await createPresenceWorld();
  ann = await signUp(people);
});
afterAll(async () => {
  await presence.close();
  await people.close();
});
beforeEach(async () => {
  world = await createGatewayWorld(presence, { deps: () => ({ sessions: people.identity.sessions }) });
});
afterEach(() => world.close());

const signedFor = async (nonce: string): Promise<FrameBodies['authenticate']> => {
  const { statement, signature } = await socketSignIn(people, ann, nonce);
  return { statement, signature, clientNonce: 'AAAAAAAAAAAAAAAAAAAAAA', token: '' };
};
const greeted = async (): Promise<{ client: RawClient; nonce: string }> => {
  const client = await world.connect();
  return { client, nonce: (await client.next('hello')).body.nonce };
};
const refused = async (client: RawClient, body: FrameBodies['authenticate']): Promise<void> => {
  client.send({ id: '', type: 'authenticate', body });
  expect((await client.next('error')).body.code).toBe('UNAUTHENTICATED');
};

describe('a session statement', () => {
  it('opens the socket whose nonce it signs, and no other afterwards', async () => {
    const { client, nonce } = await greeted();
    const body = await signedFor(nonce);
    client.send({ id: '', type: 'authenticate', body });
    expect((await client.next('welcome')).body.token).not.toBe('');
    await refused((await greeted()).client, body);
    expect(world.gateway.hub.members).toBe(1);
  });

  it('of an older socket opens no newer one, even if it was never used', async () => {
    const { nonce } = await greeted();
    await refused((await greeted()).client, await signedFor(nonce));
  });

  it('is worth nothing with a byte of it or of its signature changed, or with both missing', async () => {
    const { client, nonce } = await greeted();
    const body = await signedFor(nonce);
    const changed = Uint8Array.from(body.statement, (byte, at) => (at === body.statement.length - 3 ? byte ^ 1 : byte));
    await refused(client, { ...body, statement: changed });
    await refused(client, { ...body, signature: body.signature.replace(/[A-Za-z]{4}/, 'AAAA') });
  });

  it('gives a token that opens the next socket; nothing else passes for one', async () => {
    const { client, nonce } = await greeted();
    client.send({ id: '', type: 'authenticate', body: await signedFor(nonce) });
    const { token } = (await client.next('welcome')).body;
    const next = await greeted();
    next.client.authenticate(token);
    expect((await next.client.next('welcome')).body.resumed).toBe(true);
    const other = await greeted();
    other.client.authenticate(`${token}x`);
    expect((await other.client.next('error')).body.code).toBe('UNAUTHENTICATED');
  });
});
