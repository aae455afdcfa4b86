// Whose turn it is: so many tasks at once, one of each member, and members in turn.
import { expect, it } from 'vitest';
import { Turns } from '../../src/relay/turns.ts';
import type { UserId } from '../../src/wire/address.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Tasks that run until they are ended by their names. */
const stage = (width: number) => {
  const turns = new Turns(width);
  const running = new Map<string, PromiseWithResolvers<string>>();
  return {
    running: async (): Promise<string[]> => {
      await turn();
      return [...running.keys()];
    },
    start: (member: string, name: string): Promise<string> =>
      turns.run(member as UserId, () => {
        const task = Promise.withResolvers<string>();
        running.set(name, task);
        return task.promise;
      }),
    end: (name: string, error?: Error): void => {
      if (error) running.get(name)?.reject(error);
      else running.get(name)?.resolve(name);
      running.delete(name);
    },
  };
};

it('one task of a member runs at a time, in their order, though there is room for more', async () => {
  const { running, start, end } = stage(4);
  for (const name of ['a1', 'a2', 'a3']) void start('a', name);
  expect(await running()).toEqual(['a1']);
  end('a1');
  expect(await running()).toEqual(['a2']);
});

it('who has a hundred waiting lets whoever comes later go before the second of them', async () => {
  const { running, start, end } = stage(1);
  for (let nth = 0; nth < 100; nth += 1) void start('a', `a${nth}`);
  void start('b', 'b');
  void start('c', 'c');
  const order: string[] = [];
  for (let nth = 0; nth < 4; nth += 1) {
    const [name = ''] = await running();
    order.push(name);
    end(name);
  }
  expect(order).toEqual(['a0', 'b', 'c', 'a1']);
});

it('no more run than there is room for, and a task that fails frees its place and is heard of', async () => {
  const { running, start, end } = stage(2);
  const failing = start('a', 'a');
  void start('b', 'b');
  const last = start('c', 'c');
  expect(await running()).toEqual(['a', 'b']);
  const heard = expect(failing).rejects.toThrow('no');
  end('a', new Error('no'));
  await heard;
  expect(await running()).toEqual(['b', 'c']);
  end('c');
  expect(await last).toBe('c');
});
