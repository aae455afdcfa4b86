// How much of what is on its way to peers is in memory.
import { expect, test } from 'vitest';
import { BytesHeld } from '../../src/federation/bytes-held.ts';
import type { ServerId } from '../../src/wire/address.ts';

const [one, two, three] = ['one', 'two', 'three'] as ServerId[] as [ServerId, ServerId, ServerId];
const held = () => new BytesHeld({ perPeer: 30, all: 50 });

test('a peer has so many bytes, and room again for what was let go of', () => {
  const copies = held();
  const first = copies.take(one, 20);
  expect(copies.take(one, 10)).not.toBeNull();
  expect(copies.take(one, 1)).toBeNull();
  first?.release();
  expect(copies.take(one, 20)).not.toBeNull();
});

test('all have so many bytes together, and whoever has none has room for one copy all the same, however long', () => {
  const copies = held();
  for (const peer of [one, two]) expect(copies.take(peer, 25)).not.toBeNull();
  expect(copies.take(one, 1)).toBeNull();
  const only = copies.take(three, 40);
  expect(only).not.toBeNull();
  expect(copies.take(three, 1)).toBeNull();
  only?.release();
  expect(copies.take(three, 40)).not.toBeNull();
});

test('what turns out shorter, or longer, is counted as long as it is', () => {
  const copies = held();
  const first = copies.take(one, 30);
  first?.resize(5);
  expect(copies.take(one, 25)).not.toBeNull();
  first?.resize(40);
  expect(copies.take(two, 10)).not.toBeNull();
  expect(copies.take(two, 1)).toBeNull();
  first?.release();
  expect(copies.take(two, 1)).not.toBeNull();
});
