// What helps whoever brings a key that is refused: one sentence for each reason, for people. Programs look at the reason.
import type { KeyReason } from './openpgp.ts';

const MENDS: Readonly<Record<KeyReason, string>> = {
  'too-large': 'export it alone, without certifications by others; 8 KiB are the most',
  'not-a-key': 'one armored OpenPGP public key is needed, with nothing before or behind it',
  private: 'the public half is needed; keep the private one to yourself',
  'not-one-key': 'export one key alone, without certifications by others (gpg: --export-options export-minimal)',
  algorithm: 'make an Ed25519 key of version 4 with a Curve25519 subkey to encrypt to',
  'small-order': 'make another key; this one proves nothing',
  subkeys: 'the key needs exactly one Curve25519 subkey to encrypt to, and may have one Ed25519 subkey to sign with',
  'user-ids': 'the key needs exactly one user id and no picture; any text will do',
  revoked: 'make another key; this one, its name or a part of it is revoked',
  'self-signature':
    'the key or its one signing subkey must be able to sign, its one subkey to encrypt, and no part may be for anything else',
};

/** The reason with what helps. */
export const describeKeyProblem = (reason: KeyReason): string => `${reason} (${MENDS[reason]})`;
