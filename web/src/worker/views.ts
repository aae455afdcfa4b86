// Stored records as pages show them, with the names and the answered reeds that go with them. A page never sees a record itself.
import type { Broadcast } from '../../../src/client/broadcasts.ts';
import type { Member } from '../../../src/client/member.ts';
import type { CopyRecord, OutboxRecord, TombstoneRecord } from '../../../src/client/store.ts';
import type { ReedStatement } from '../../../src/client/types.ts';
import { type ReedId, type UserId, userOf } from '../../../src/wire/address.ts';
import { mentionsOf } from '../../../src/wire/claims.ts';
import type { CopyView, PersonRef, ReedRef, StoneView } from '../link/community.ts';
import type { Database } from '../store/database.ts';
import { withNames } from '../text/names.ts';
import type { Names } from './names.ts';
import type { Servers } from './servers.ts';

type Shown = Pick<ReedStatement, 'replyTo' | 'echoOf' | 'thread'>;
type Parts = { readonly member: Member; readonly database: Database; readonly names: Names; readonly servers: Pick<Servers, 'labelOf'> };

const refusedText = (refusal: OutboxRecord['refused']): string => (refusal ? refusal.detail || refusal.code : '');

export class Views {
  readonly #member: Member;
  readonly #database: Database;
  readonly #names: Names;
  readonly #servers: Parts['servers'];

  constructor({ member, database, names, servers }: Parts) {
    this.#servers = servers;
    this.#member = member;
    this.#database = database;
    this.#names = names;
  }

  async person(user: UserId): Promise<PersonRef> {
    return { userId: user, name: await this.#names.of(user), server: this.#servers.labelOf(user) };
  }

  /** A verified copy; `refusal` is why the server did not publish it, if it is one's own and refused. */
  async copy(record: CopyRecord, refusal?: OutboxRecord['refused']): Promise<CopyView> {
    const { statement, countersignature } = record.certificate;
    return {
      ...(await this.#content(record.id, record.body, statement)),
      countersignedAt: countersignature.statement.signedAt,
      own: record.own,
      storedAt: record.storedAt,
      kept: true,
      settled: record.state !== 'unconfirmed',
      refused: refusedText(refusal),
      authorKey: statement.key,
      serverKey: countersignature.statement.serverKey,
      certificate: JSON.stringify(record.certificate, null, 2),
    };
  }

  /** A copy in a list, where nobody downloads its certificate. */
  async listed(record: CopyRecord, refusal?: OutboxRecord['refused']): Promise<CopyView> {
    return { ...(await this.copy(record, refusal)), certificate: '' };
  }

  /** A reed of the community stream; the copy of it, if there is one here. */
  async broadcast({ reedId, certificate, body }: Broadcast): Promise<CopyView> {
    const here = await this.#member.copy(reedId);
    if (here && here.state !== 'leaving') return this.listed(here);
    const { statement, countersignature } = certificate;
    return {
      ...(await this.#content(reedId, body, statement)),
      countersignedAt: countersignature.statement.signedAt,
      own: false,
      storedAt: 0,
      kept: false,
      settled: true,
      refused: '',
      authorKey: statement.key,
      serverKey: countersignature.statement.serverKey,
      certificate: '',
    };
  }

  /** A reed of the member's own that the server has not taken yet: there is no certificate of it. A thread by its head, or the part `index`. */
  async unsent(record: OutboxRecord, index = 0): Promise<CopyView> {
    const part = record.parts?.[index] ?? record;
    const { replyTo, echoOf } = index === 0 ? record.relations : {};
    const thread = record.parts ? { thread: { head: record.reedId, index } } : {};
    const view = await this.#content(part.reedId, part.body, { ...thread, ...(replyTo ? { replyTo } : {}), ...(echoOf ? { echoOf } : {}) });
    const counted = view.thread && record.parts ? { ...view.thread, parts: record.parts.length } : view.thread;
    const nothingYet = { countersignedAt: '', authorKey: '', serverKey: '', certificate: '' };
    return {
      ...view,
      ...nothingYet,
      thread: counted,
      own: true,
      storedAt: 0,
      kept: true,
      settled: false,
      refused: refusedText(record.refused),
    };
  }

  stone({ id, kind, certificate }: TombstoneRecord): StoneView {
    const { countersignature } = certificate as { countersignature?: { statement?: { signedAt?: unknown } } };
    const at = countersignature?.statement?.signedAt;
    const user = kind === 'account' ? (id as UserId) : userOf(id as ReedId);
    return {
      kind,
      at: typeof at === 'string' ? at : '',
      own: user === this.#member.account?.user,
      certificate: JSON.stringify(certificate, null, 2),
    };
  }

  async #content(reedId: ReedId, body: CopyRecord['body'], { replyTo, echoOf, thread }: Shown) {
    const author = userOf(reedId);
    const [name, mentions, parent, echoed, liked] = await Promise.all([
      this.#names.of(author),
      Promise.all(mentionsOf(body.text).map((user) => this.person(user))),
      replyTo ? this.#ref(replyTo) : null,
      echoOf ? this.#ref(echoOf) : null,
      this.#member.relations.likes(reedId),
    ]);
    return {
      reedId,
      author,
      authorName: name,
      authorServer: this.#servers.labelOf(author),
      text: body.text,
      mentions,
      replyTo: parent,
      echoOf: echoed,
      thread: thread ? { ...thread, parts: await this.#partsOf(thread.head) } : null,
      liked,
      createdAt: body.createdAt,
    };
  }

  async #ref(reedId: ReedId): Promise<ReedRef> {
    const [author, here] = await Promise.all([this.person(userOf(reedId)), this.#member.copy(reedId)]);
    if (!here || here.state === 'leaving') return { reedId, author, text: null };
    const { text } = here.body;
    return { reedId, author, text: withNames(text, await Promise.all(mentionsOf(text).map((user) => this.person(user)))) };
  }

  async #partsOf(head: string): Promise<number | null> {
    return (await this.#database.get('threads', head))?.certificate.statement.reeds.length ?? null;
  }
}
