// The calls that register what this member signed. A certificate that does not hold, or is of something else, is no refusal: the server may be
// right the next time, so that what was sent stays in the outbox.
import { AppError } from '../base/errors.ts';
import { verifyCertificate } from '../crypto/statement.ts';
import { parseUserId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import type { StatementOf } from '../wire/statements.ts';
import type { Api, TokenSource } from './api.ts';
import type { KeyDirectory } from './keys.ts';
import type { Registered } from './reed-carrier.ts';
import type { MentionOutcome, ReedStatement, ThreadCertificate } from './types.ts';

export type RegistrationDeps = { readonly api: Api; readonly session: TokenSource; readonly keys: Pick<KeyDirectory, 'context'> };

/** @throws AppError */
export async function registerReed({ api, session, keys }: RegistrationDeps, signed: Signed<ReedStatement>): Promise<Registered> {
  const answer = (await api.call('reeds', { method: 'POST', body: signed, session })) as { certificate?: unknown; mentions?: unknown };
  const accepted = await verifyCertificate(answer.certificate, 'reed', keys.context);
  if (!accepted.ok || accepted.value.certificate.statement.id !== signed.statement.id) throw notHeld();
  return { certificate: accepted.value.certificate, mentions: mentionsIn(answer.mentions) };
}

/** @throws AppError */
export async function registerThread(
  { api, session, keys }: RegistrationDeps,
  signed: Signed<StatementOf<'thread'>>,
): Promise<ThreadCertificate> {
  const answer = (await api.call('threads', { method: 'POST', body: signed, session })) as { certificate?: unknown };
  const accepted = await verifyCertificate(answer.certificate, 'thread', keys.context);
  if (!accepted.ok || accepted.value.certificate.statement.id !== signed.statement.id) throw notHeld();
  return accepted.value.certificate;
}

const notHeld = (): AppError => new AppError('UNAVAILABLE', "the server's certificate does not hold");

function mentionsIn(value: unknown): MentionOutcome[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: { user?: unknown; accepted?: unknown; reason?: unknown } | null) => {
    const user = parseUserId(String(item?.user));
    if (!user) return [];
    return [{ user, accepted: item?.accepted === true, ...(typeof item?.reason === 'string' ? { reason: item.reason } : {}) }];
  });
}
