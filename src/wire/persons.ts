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
      return statement.predecessor === statement.key ? 'predecessor' : null;
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
      return isAt(statement.key, statement.server) ? null : 'key';
    case 'peering':
      if (statement.from === statement.to) return 'to';
      return isAt(statement.key, statement.from) ? null : 'key';
    case 'server-document':
      return (statement.keys as readonly Given[]).every((entry) => isAt(entry.key, statement.id)) ? null : 'keys';
    default:
      return null;
  }
}
