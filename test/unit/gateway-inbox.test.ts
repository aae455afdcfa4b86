// Frames of a connection take effect in order: one type's together, another type after all before it, the end last.
import { describe, expect, it } from 'vitest';
import { Inbox, type InboxOwner } from '../../src/gateway/inbox.ts';
import type { Frame } from '../../src/wire/frames.ts';

const frame = (id: string, type: 'dataAck' | 'cancelRequest'): Frame =>
  type === 'dataAck' ? { id, type, body: {} } : { id, type, body: { requestId: '' } };

class Owner implements InboxOwner {
  readonly log: string[] = [];
  readonly open = new Map<string, () => void>();
  full = false;
  run(given: Frame): Promise<void> {
    this.log.push(given.id);
    return new Promise((resolve) => this.open.set(given.id, resolve));
  }
  mustWait(): boolean {
    return this.full;
  }
  reading(on: boolean): void {
    this.log.push(on ? 'read' : 'stop');
  }
  emptied(): void {
    this.log.push('end');
  }
  async finish(...ids: string[]): Promise<void> {
    for (const id of ids) this.open.get(id)?.();
    for (let turns = 0; turns < 5; turns++) await Promise.resolve();
  }
}

const LIMITS = { pendingFrames: 4, pendingFrameBytes: 1_000 };

describe('inbox', () => {
  it('starts consecutive frames of one type at once and lets another type wait', async () => {
    const owner = new Owner();
    const inbox = new Inbox(owner, LIMITS);
    inbox.push(frame('a1', 'dataAck'), 1);
    inbox.push(frame('a2', 'dataAck'), 1);
    inbox.push(frame('c1', 'cancelRequest'), 1);
    inbox.push(frame('a3', 'dataAck'), 1);
    expect(owner.log).toEqual(['a1', 'a2']);
    await owner.finish('a2');
    expect(owner.log).toEqual(['a1', 'a2']);
    await owner.finish('a1');
    expect(owner.log).toEqual(['a1', 'a2', 'c1']);
    await owner.finish('c1');
    expect(owner.log).toEqual(['a1', 'a2', 'c1', 'a3']);
  });

  it('ends once, after the last frame', async () => {
    const owner = new Owner();
    const inbox = new Inbox(owner, LIMITS);
    inbox.push(frame('a', 'dataAck'), 1);
    inbox.push(frame('c', 'cancelRequest'), 1);
    inbox.end();
    inbox.end();
    await owner.finish('a');
    expect(owner.log).toEqual(['a', 'c']);
    await owner.finish('c');
    inbox.end();
    inbox.pump();
    expect(owner.log).toEqual(['a', 'c', 'end']);
  });

  it('ends at once when nothing is pending', () => {
    const owner = new Owner();
    new Inbox(owner, LIMITS).end();
    expect(owner.log).toEqual(['end']);
  });

  it('stops reading over its bounds of frames and of bytes and goes on at half of them', async () => {
    const owner = new Owner();
    const inbox = new Inbox(owner, LIMITS);
    for (const id of ['1', '2', '3', '4', '5']) inbox.push(frame(id, 'dataAck'), 1);
    expect(owner.log.at(-1)).toBe('stop');
    await owner.finish('1', '2');
    expect(owner.log.at(-1)).toBe('stop');
    await owner.finish('3');
    expect(owner.log.at(-1)).toBe('read');
    inbox.push(frame('big', 'dataAck'), 1_001);
    expect(owner.log.slice(-2)).toEqual(['big', 'stop']);
  });

  it('starts nothing while it must wait, and everything in order once it need not', async () => {
    const owner = new Owner();
    const inbox = new Inbox(owner, LIMITS);
    owner.full = true;
    inbox.push(frame('a', 'dataAck'), 1);
    inbox.push(frame('b', 'dataAck'), 1);
    expect(owner.log).toEqual([]);
    owner.full = false;
    inbox.pump();
    expect(owner.log).toEqual(['a', 'b']);
  });
});
