// Stored records as pages show them. Pure; a page never sees a record itself.
import type { CopyRecord, OutboxRecord } from '../../../src/client/store.ts';
import type { CopyView } from '../link/protocol.ts';

/** A verified copy. `authorName` is empty while unknown; `refusal` is why the server did not publish it, if it is one's own and refused. */
export function copyView(record: CopyRecord, authorName: string, refusal: OutboxRecord['refused']): CopyView {
  const { statement, countersignature } = record.certificate;
  return {
    reedId: record.id,
    author: statement.author,
    authorName,
    text: record.body.text,
    createdAt: record.body.createdAt,
    countersignedAt: countersignature.statement.signedAt,
    own: record.own,
    settled: record.state !== 'unconfirmed',
    refused: refusedText(refusal),
    authorKey: statement.key,
    serverKey: countersignature.statement.serverKey,
    certificate: JSON.stringify(record.certificate, null, 2),
  };
}

const refusedText = (refusal: OutboxRecord['refused']): string => (refusal ? refusal.detail || refusal.code : '');

/** A reed of the member's own that the server has not taken yet: there is no certificate of it. */
export function unsentView(record: OutboxRecord, me: { readonly userId: string; readonly username: string }): CopyView {
  return {
    reedId: record.reedId,
    author: me.userId,
    authorName: me.username,
    text: record.body.text,
    createdAt: record.body.createdAt,
    countersignedAt: '',
    own: true,
    settled: false,
    refused: refusedText(record.refused),
    authorKey: '',
    serverKey: '',
    certificate: '',
  };
}
