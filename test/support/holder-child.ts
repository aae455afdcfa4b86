// A light member in a process of its own, for tests that freeze it: says when it is online and when it was asked, and never answers.
import { type LightAccount, LightMember } from './light-member.ts';

const [url = '', account = ''] = process.argv.slice(2);
const say = (word: string): void => void process.stdout.write(`${word}\n`);

const member = await LightMember.connect(url, JSON.parse(account) as LightAccount, { answer: 'nothing' });
say('online');
await member.next('relayRequest');
say('asked');
