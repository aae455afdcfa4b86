// The rules that join fields of one statement: everything that names the acting person names the same one,
// and the relations of a reed contradict neither each other nor the reed itself.

type Given = Readonly<Record<string, unknown>>;

/** Fields that stand under the id of the statement's user or author. */
const OWN = ['key', 'id', 'predecessor', 'successor', 'previous'] as const;

const isUnder = (id: unknown, person: string): boolean => typeof id === 'string' && id.startsWith(`${person}/`);

/**
 * The first field that names another person than `user` or `author`; null if none does. Fields have been checked one by one before.
 */
export function otherPerson(statement: Given): string | null {
  const person = statement.user ?? statement.author;
  if (typeof person !== 'string') return null;
  return OWN.find((field) => statement[field] !== undefined && !isUnder(statement[field], person)) ?? null;
}

/** The first field that contradicts another one of the same statement; null if none does. */
export function contradiction(statement: Given): string | null {
  switch (statement.type) {
    case 'key':
      return keyContradiction(statement);
    case 'key-revocation':
      return statement.successor === statement.key ? 'successor' : null;
    case 'reed':
      return reedContradiction(statement);
    case 'thread':
      return threadContradiction(statement);
    case 'follow':
    case 'unfollow':
    case 'block':
    case 'unblock':
      return statement.target === statement.user ? 'target' : null;
    default:
      return serverContradiction(statement);
  }
}

function keyContradiction(key: Given): string | null {
  if (key.predecessor === key.key) return 'predecessor';
  if (key.recoveryArmor !== undefined && key.predecessor === undefined) return 'recoveryArmor';
  return String(key.key).endsWith(`/${String(key.recovery)}`) ? 'recovery' : null;
}

function reedContradiction(reed: Given): string | null {
  for (const field of ['previous', 'replyTo', 'root', 'echoOf'] as const) if (reed[field] === reed.id) return field;
  if ((reed.root === undefined) !== (reed.replyTo === undefined)) return 'root';
  if (reed.thread === undefined) return null;
  const { head, index } = reed.thread as { readonly head: string; readonly index: number };
  if (!isUnder(head, String(reed.author))) return 'thread';
  return (head === reed.id) === (index === 0) ? null : 'thread';
}

function threadContradiction(thread: Given): string | null {
  const reeds = thread.reeds as readonly string[];
  if (!reeds.every((reed) => isUnder(reed, String(thread.author)))) return 'reeds';
  return reeds[0] === thread.id ? null : 'id';
}

const isAt = (key: unknown, server: unknown): boolean => typeof key === 'string' && key.endsWith(`@${String(server)}`);

function serverContradiction(statement: Given): string | null {
  switch (statement.type) {
    case 'server-key':
      if (!isAt(statement.key, statement.server)) return 'key';
      if (statement.predecessor === undefined) return null;
      return isAt(statement.predecessor, statement.server) && statement.predecessor !== statement.key ? null : 'predecessor';
    case 'server-key-revocation':
    case 'operator-act':
      return isAt(statement.key, statement.server) ? null : 'key';
    case 'peering':
      if (statement.from === statement.to) return 'to';
      return isAt(statement.key, statement.from) ? null : 'key';
    case 'server-document':
      return documentContradiction(statement);
    default:
      return null;
  }
}

function documentContradiction(document: Given): string | null {
  const { min, max } = document.protocol as { readonly min: number; readonly max: number };
  if (min > max) return 'protocol';
  if (String(document.issuedAt) >= String(document.expiresAt)) return 'expiresAt';
  const kids = (document.transportKeys as readonly Given[]).map(({ kid }) => kid);
  if (new Set(kids).size !== kids.length) return 'transportKeys';
  const keys = document.keys as readonly Given[];
  const isChain = keys.every((entry, at) => isAt(entry.key, document.id) && (entry.predecessorSignature === undefined) === (at === 0));
  return isChain ? null : 'keys';
}
